// Requests for approval at a terminal: one question at a time, the exact arguments shown, no answer taken for a yes.
// The question is withdrawn when somebody else decides first.
import { createInterface, type Interface } from "node:readline/promises"
import type { SessionHandle } from "../../contract/host-port.ts"
import type { ApprovalId } from "../../contract/ids.ts"
import { describeRefusal } from "../../contract/describe-refusal.ts"
import type { PolicyFlag } from "../../contract/values.ts"
import { exactArguments, indented } from "../exact-arguments.ts"
import { oneLine } from "../../contract/printable.ts"
import { printNotice, styled } from "../../app/terminal.ts"
import { isTerminalClosed } from "./hang-up.ts"
import { coveringFlags, refusalLine, type ApprovalFlags } from "./approval-flags.ts"
import type { Request, SessionView } from "./session-view.ts"

export interface ApprovalPromptOptions {
  readonly flags: ApprovalFlags
  /** Ask the person at the terminal. */
  readonly asks: boolean
  /** There is nobody to ask and nothing to wait for. */
  readonly refuses: boolean
}

export class ApprovalPrompt {
  readonly #handle: SessionHandle
  readonly #view: SessionView
  readonly #options: ApprovalPromptOptions
  #questions: Promise<void> = Promise.resolve()
  #interface: Interface | undefined
  /** The question that stands on the terminal now. */
  #asking: { readonly approvalId: ApprovalId; readonly settled: AbortController } | undefined
  readonly #closing = new AbortController()

  constructor(handle: SessionHandle, view: SessionView, options: ApprovalPromptOptions) {
    this.#handle = handle
    this.#view = view
    this.#options = options
  }

  /** `ours`: the turn that asks is the one that is followed. Others have others who answer. */
  ask(request: Request, ours: boolean): void {
    const covering = ours ? coveringFlags(this.#options.flags, request) : undefined
    if (covering !== undefined) void this.#answer(request, true, covering)
    else if (ours && this.#options.asks) this.#questions = this.#questions.then(() => this.#question(request))
    else if (ours && this.#options.refuses) this.#refuse(request)
    else printNotice(`an approval is waited for: turnhouse approve ${request.approvalId}`)
  }

  /** Somebody has decided. */
  settle(approvalId: ApprovalId): void {
    if (this.#asking?.approvalId === approvalId) this.#asking.settled.abort()
  }

  /** Also when the terminal is closed: a question that stands there stays unanswered. */
  close(): void {
    this.#closing.abort()
    this.#interface?.close()
  }

  async #question(request: Request): Promise<void> {
    const isOpen = this.#view.request(request.approvalId) !== undefined
    if (!isOpen || this.#closing.signal.aborted) return
    printNotice(`\n${styled("yellow", "approval")} ${shownRequest(request, this.#view.sessionId)}`)
    this.#interface ??= this.#openInterface()
    const settled = new AbortController()
    this.#asking = { approvalId: request.approvalId, settled }
    try {
      const answer = await this.#read(this.#interface, AbortSignal.any([settled.signal, this.#closing.signal]))
      if (answer !== undefined) await this.#answer(request, /^\s*y(es)?\s*$/i.test(answer))
    } catch (fault) {
      if (!(fault instanceof Error) || fault.name !== "AbortError") throw fault
      printNotice("\n(no longer asked)")
    }
  }

  /** The end of input is a no, but a terminal that is closed is no answer. */
  #read(terminal: Interface, signal: AbortSignal): Promise<string | undefined> {
    const closed = new Promise<string | undefined>((resolve) =>
      terminal.once("close", () => resolve(isTerminalClosed() ? undefined : "")),
    )
    return Promise.race([terminal.question("Allow this? [y/N] ", { signal }), closed])
  }

  /** A terminal that is being read turns Ctrl-C into a key; it is meant for the turn all the same. */
  #openInterface(): Interface {
    const opened = createInterface({ input: process.stdin, output: process.stderr })
    opened.on("SIGINT", () => process.kill(process.pid, "SIGINT"))
    opened.on("error", () => {}) // EIO of a closed terminal, which is heard as a hang-up
    return opened
  }

  /** A session of this process has refused by itself; one of another process hears it from here. */
  #refuse(request: Request): void {
    printNotice(`turnhouse: ${refusalLine(this.#options.flags, request)}`)
    void this.#answer(request, false, ["unattended"], "no person can be asked")
  }

  /** Without `policy` it is the person at the terminal who answers. */
  async #answer(request: Request, approved: boolean, policy?: readonly PolicyFlag[], note?: string): Promise<void> {
    const { approvalId, digest } = request
    const by = policy === undefined ? {} : { policy: [...policy] }
    const sent = await this.#handle.send({ type: "approve", approvalId, approved, digest, note, ...by })
    if (sent.kind === "accepted" || sent.refusal.code === "approval.settled") return
    printNotice(`turnhouse: ${describeRefusal(sent.refusal)}`)
  }
}

/** Exactly what would run: nothing folded, nothing cut, nothing hidden. */
export function shownRequest({ sessionId, tool, input, reason }: Request, watched: string): string {
  const asker = sessionId === watched ? "" : `  asked by agent ${sessionId}\n`
  return `${oneLine(reason, Infinity)}\n${asker}  ${oneLine(tool, 100)}\n${indented(exactArguments(input), 2)}`
}
