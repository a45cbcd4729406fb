// Asks for approval at a terminal: one request at a time, with its exact arguments. Only y and yes approve. A question is
// withdrawn when another client answers first.
import { createInterface, type Interface } from "node:readline/promises"
import { questionsText, questionSummary } from "../../contract/rules/questions.ts"
import type { SendOutcome, SessionHandle } from "../../contract/host-port.ts"
import type { ApprovalId } from "../../contract/ids.ts"
import { describeRefusal } from "../../contract/text/describe-refusal.ts"
import { principalName } from "../../contract/rules/approval-answers.ts"
import type { By, PolicyFlag } from "../../contract/values.ts"
import { exactArguments, indented } from "../output.ts"
import { oneLine } from "../../contract/text/text.ts"
import { printNotice, styled } from "../../app/terminal.ts"
import { isTerminalClosed } from "../lost-output.ts"
import { askQuestions } from "./question-prompt.ts"
import { coveringFlags, refusalLine, type ApprovalFlags } from "./approval-flags.ts"
import type { OpenApproval } from "../../projection/open-requests.ts"
import type { SessionView } from "../../app/sessions/session-view.ts"
import type { LiveRegion } from "../print/live-region.ts"

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
  readonly #region: LiveRegion | undefined
  #questions: Promise<void> = Promise.resolve()
  #interface: Interface | undefined
  /** The question on the terminal. */
  #openQuestion: OpenQuestion | undefined
  readonly #closing = new AbortController()

  /** `region`: what is drawn at the bottom of the terminal; the question takes its place. */
  constructor(handle: SessionHandle, view: SessionView, options: ApprovalPromptOptions, region?: LiveRegion) {
    this.#region = region
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
    else printNotice(waitingLine(request))
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
    this.#region?.pause()
    this.#interface ??= this.#openInterface()
    const question: OpenQuestion = { approvalId: request.approvalId, settled: new AbortController() }
    this.#openQuestion = question
    try {
      await this.#askOne(request, this.#interface, AbortSignal.any([question.settled.signal, this.#closing.signal]))
    } catch (fault) {
      if (!(fault instanceof Error) || fault.name !== "AbortError") throw fault
      printNotice(`\n(${withdrawalReason(question.answeredBy)})`)
    } finally {
      this.#region?.resume()
    }
  }

  /** The end of input declines; a closed terminal is not an answer. */
  async #askOne(request: OpenApproval, terminal: Interface, signal: AbortSignal): Promise<void> {
    const { questions } = request
    if (questions !== undefined) {
      const answer = await askQuestions(questions, (text) => this.#read(terminal, text, signal))
      return isTerminalClosed() ? undefined : this.#reply(request, answer)
    }
    printNotice(`\n${styled("yellow", "Approve:")} ${formatRequest(request, this.#view.sessionId)}`)
    const answer = await this.#read(terminal, "Allow this? [y/N] ", signal)
    if (!isTerminalClosed()) await this.#answer(request, /^\s*y(es)?\s*$/i.test(answer ?? ""))
  }

  /** Undefined at the end of the input. */
  #read(terminal: Interface, text: string, signal: AbortSignal): Promise<string | undefined> {
    const closed = new Promise<undefined>((resolve) => terminal.once("close", () => resolve(undefined)))
    return Promise.race([terminal.question(text, { signal }), closed])
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

  /** Without an answer the user declines. */
  async #reply({ approvalId, digest }: OpenApproval, answer: string | undefined): Promise<void> {
    this.#report(
      await this.#handle.send({ type: "approve", approvalId, approved: answer !== undefined, digest, answer }),
    )
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
    this.#report(await this.#handle.send({ type: "approve", approvalId, approved, digest, note, ...by }))
  }

  #report(sent: SendOutcome): void {
    if (sent.kind === "accepted" || sent.refusal.code === "approval.settled") return
    printNotice(`turnhouse: ${describeRefusal(sent.refusal)}`)
  }
}

function withdrawalReason(by: By | undefined): string {
  return by === undefined ? "no longer pending" : `already answered by ${principalName(by.principal)} via ${by.door}`
}

function waitingLine({ approvalId, questions }: OpenApproval): string {
  if (questions === undefined) return `waiting for approval: turnhouse approve ${approvalId}`
  return `waiting for an answer: ${questionSummary(questions)}  turnhouse approve ${approvalId} --answer TEXT`
}

/** The request with its exact arguments. */
export function formatRequest(request: OpenApproval, watched: string): string {
  const { sessionId, tool, input, reason, questions } = request
  const requester = sessionId === watched ? "" : `  requested by agent ${sessionId}\n`
  if (questions !== undefined) return `${questionsText(questions)}\n${requester}`.trimEnd()
  return `${oneLine(reason, Infinity)}\n${requester}  ${oneLine(tool, 100)}\n${indented(exactArguments(input), 2)}`
}
