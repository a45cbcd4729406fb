// Asks for approval at a terminal: one request at a time, with its exact arguments. Only y and yes approve. A question is
// withdrawn when another client answers first.
import { createInterface, type Interface } from "node:readline/promises"
import type { SessionHandle } from "../../contract/host-port.ts"
import type { ApprovalId } from "../../contract/ids.ts"
import { describeRefusal } from "../../contract/text/describe-refusal.ts"
import { principalName } from "../../contract/rules/approval-answers.ts"
import type { By, PolicyFlag } from "../../contract/values.ts"
import { exactArguments, indented } from "../output.ts"
import { oneLine } from "../../contract/text/text.ts"
import { printNotice, styled } from "../../app/terminal.ts"
import { isTerminalClosed } from "../lost-output.ts"
import { coveringFlags, refusalLine, type ApprovalFlags } from "./approval-flags.ts"
import type { OpenApproval } from "../../projection/open-requests.ts"
import type { SessionView } from "../../app/sessions/session-view.ts"

export interface ApprovalPromptOptions {
  readonly flags: ApprovalFlags
  /** Ask at the terminal. */
  readonly canAsk: boolean
  /** There is no terminal, and requests do not wait. */
  readonly isUnattended: boolean
}

interface OpenQuestion {
  readonly approvalId: ApprovalId
  readonly settled: AbortController
  answeredBy?: By | undefined
}

export class ApprovalPrompt {
  readonly #handle: SessionHandle
  readonly #view: SessionView
  readonly #options: ApprovalPromptOptions
  #questions: Promise<void> = Promise.resolve()
  #interface: Interface | undefined
  /** The question on the terminal. */
  #openQuestion: OpenQuestion | undefined
  readonly #closing = new AbortController()

  constructor(handle: SessionHandle, view: SessionView, options: ApprovalPromptOptions) {
    this.#handle = handle
    this.#view = view
    this.#options = options
  }

  /** `isOwnTurn`: the request is of the followed turn. Other clients answer those of other turns. */
  ask(request: OpenApproval, isOwnTurn: boolean): void {
    const covering = isOwnTurn ? coveringFlags(this.#options.flags, request) : undefined
    if (covering !== undefined) void this.#answer(request, true, covering)
    else if (isOwnTurn && this.#options.canAsk)
      this.#questions = this.#questions.then(() => this.#askAtTerminal(request))
    else if (isOwnTurn && this.#options.isUnattended) this.#refuse(request)
    else printNotice(`waiting for approval: turnhouse approve ${request.approvalId}`)
  }

  /** Another client has answered, or the request has expired. */
  settle(approvalId: ApprovalId, by: By | undefined): void {
    if (this.#openQuestion?.approvalId !== approvalId) return
    this.#openQuestion.answeredBy = by
    this.#openQuestion.settled.abort()
  }

  /** Also if the terminal is closed: the open question stays unanswered. */
  close(): void {
    this.#closing.abort()
    this.#interface?.close()
  }

  async #askAtTerminal(request: OpenApproval): Promise<void> {
    const isOpen = this.#view.request(request.approvalId) !== undefined
    if (!isOpen || this.#closing.signal.aborted) return
    printNotice(`\n${styled("yellow", "Approve:")} ${formatRequest(request, this.#view.sessionId)}`)
    this.#interface ??= this.#openInterface()
    const question: OpenQuestion = { approvalId: request.approvalId, settled: new AbortController() }
    this.#openQuestion = question
    try {
      const answer = await this.#read(this.#interface, AbortSignal.any([question.settled.signal, this.#closing.signal]))
      if (answer !== undefined) await this.#answer(request, /^\s*y(es)?\s*$/i.test(answer))
    } catch (fault) {
      if (!(fault instanceof Error) || fault.name !== "AbortError") throw fault
      printNotice(`\n(${withdrawalReason(question.answeredBy)})`)
    }
  }

  /** The end of input declines; a closed terminal is not an answer. */
  #read(terminal: Interface, signal: AbortSignal): Promise<string | undefined> {
    const closed = new Promise<string | undefined>((resolve) =>
      terminal.once("close", () => resolve(isTerminalClosed() ? undefined : "")),
    )
    return Promise.race([terminal.question("Allow this? [y/N] ", { signal }), closed])
  }

  /** While a terminal is read, Ctrl-C is a key; it still interrupts the turn. */
  #openInterface(): Interface {
    const opened = createInterface({ input: process.stdin, output: process.stderr })
    opened.on("SIGINT", () => process.kill(process.pid, "SIGINT"))
    opened.on("error", () => {}) // EIO of a closed terminal, handled as a hang-up
    return opened
  }

  /** A session of this process refuses by itself; one of another process needs the answer. */
  #refuse(request: OpenApproval): void {
    printNotice(`turnhouse: ${refusalLine(this.#options.flags, request)}`)
    void this.#answer(request, false, ["unattended"], "no person can be asked")
  }

  /** Without `policy` the user at the terminal answers. */
  async #answer(
    request: OpenApproval,
    approved: boolean,
    policy?: readonly PolicyFlag[],
    note?: string,
  ): Promise<void> {
    const { approvalId, digest } = request
    const by = policy === undefined ? {} : { policy: [...policy] }
    const sent = await this.#handle.send({ type: "approve", approvalId, approved, digest, note, ...by })
    if (sent.kind === "accepted" || sent.refusal.code === "approval.settled") return
    printNotice(`turnhouse: ${describeRefusal(sent.refusal)}`)
  }
}

function withdrawalReason(by: By | undefined): string {
  return by === undefined ? "no longer pending" : `already answered by ${principalName(by.principal)} via ${by.door}`
}

/** The request with its exact arguments. */
export function formatRequest({ sessionId, tool, input, reason }: OpenApproval, watched: string): string {
  const requester = sessionId === watched ? "" : `  requested by agent ${sessionId}\n`
  return `${oneLine(reason, Infinity)}\n${requester}  ${oneLine(tool, 100)}\n${indented(exactArguments(input), 2)}`
}
