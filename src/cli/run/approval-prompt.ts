// Asks for approval at a terminal, one request at a time: with a card, or with a line if the terminal cannot move its cursor.
// A question is withdrawn when another client answers first.
import { homedir } from "node:os"
import { createInterface } from "node:readline/promises"
import { mainArgument } from "../../contract/rules/core-tools.ts"
import type { EventOf } from "../../contract/events.ts"
import { askedText } from "../../contract/rules/call-requests.ts"
import type { SendOutcome, SessionHandle } from "../../contract/host-port.ts"
import type { ApprovalId } from "../../contract/ids.ts"
import { describeRefusal } from "../../contract/text/describe-refusal.ts"
import { principalName } from "../../contract/rules/approval-answers.ts"
import type { PolicyFlag } from "../../contract/values.ts"
import type { CardAnswer } from "../card/approval-card.ts"
import { indented } from "../output.ts"
import { detailsText } from "../../display/call-preview.ts"
import { moment, shownFolder } from "../../display/format.ts"
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

/** How a request was settled: by another client, or because its time is over. */
export interface Settlement extends Pick<EventOf<"approval.decided">, "outcome" | "by"> {
  readonly at: number
}

interface OpenQuestion {
  readonly request: OpenApproval
  readonly settled: AbortController
  settlement?: Settlement
}

export class ApprovalPrompt {
  readonly #handle: SessionHandle
  readonly #view: SessionView
  readonly #options: ApprovalPromptOptions
  readonly #region: LiveRegion | undefined
  #questions: Promise<void> = Promise.resolve()
  /** The question on the terminal. */
  #openQuestion: OpenQuestion | undefined
  /** Since requests last waited: how many were asked, and how many are shown. */
  #asked = 0
  #shown = 0
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
    else if (isOwnTurn && this.#options.canAsk) this.#enqueue(request)
    else if (isOwnTurn && this.#options.isUnattended) this.#refuse(request)
    else printNotice(waitingLine(request))
  }

  /** Another client has answered, or the request has expired. */
  settle(approvalId: ApprovalId, settlement: Settlement): void {
    if (this.#openQuestion?.request.approvalId !== approvalId) return
    this.#openQuestion.settlement = settlement
    this.#openQuestion.settled.abort()
  }

  /** Also if the terminal is closed: the open question stays unanswered. */
  close(): void {
    this.#closing.abort()
  }

  #enqueue(request: OpenApproval): void {
    this.#asked += 1
    this.#questions = this.#questions.then(() => this.#askNext(request))
  }

  async #askNext(request: OpenApproval): Promise<void> {
    this.#shown += 1
    await this.#askAtTerminal(request)
    if (this.#shown < this.#asked) return
    this.#shown = 0
    this.#asked = 0
  }

  async #askAtTerminal(request: OpenApproval): Promise<void> {
    const isOpen = this.#view.request(request.approvalId) !== undefined
    if (!isOpen || this.#closing.signal.aborted) return
    const question: OpenQuestion = { request, settled: new AbortController() }
    this.#openQuestion = question
    try {
      await this.#askOne(request, AbortSignal.any([question.settled.signal, this.#closing.signal]))
    } catch (fault) {
      if (!(fault instanceof Error) || fault.name !== "AbortError") throw fault
      const line = withdrawalLine(question)
      if (line !== undefined) printNotice(line)
    } finally {
      this.#openQuestion = undefined
    }
  }

  /** The end of input declines; a closed terminal is not an answer. */
  async #askOne(request: OpenApproval, signal: AbortSignal): Promise<void> {
    const { questions } = request
    if (questions === undefined) return this.#askApproval(request, signal)
    const intro = request.server === undefined ? undefined : request.reason
    const answer = await askQuestions({ questions, intro }, (text) => this.#readTyped(text, signal))
    if (!isTerminalClosed()) await this.#reply(request, answer)
  }

  /** Other calls of the step may end while the user types. */
  async #readTyped(text: string, signal: AbortSignal): Promise<string | undefined> {
    this.#region?.hold()
    try {
      return await readLine(text, signal)
    } finally {
      this.#region?.resume()
    }
  }

  async #askApproval(request: OpenApproval, signal: AbortSignal): Promise<void> {
    const answer = await (this.#region === undefined
      ? this.#askInLine(request, signal)
      : this.#askWithCard(request, this.#region, signal))
    if (isTerminalClosed()) return
    const { approvalId, digest } = request
    const { kind, ...rest } = answer ?? { kind: "deny" }
    this.#report(
      await this.#handle.send({ type: "approve", approvalId, digest, approved: kind === "approve", ...rest }),
    )
  }

  async #askWithCard(request: OpenApproval, region: LiveRegion, signal: AbortSignal): Promise<CardAnswer | undefined> {
    const { ApprovalCard } = await import("../card/approval-card.ts")
    const { sessionId, state } = this.#view
    const folder = shownFolder(state.created?.cwd ?? "/", homedir())
    const place = () => ({ number: this.#shown, count: this.#asked })
    return new ApprovalCard(request, { folder, sessionId, place }, region, signal).ask()
  }

  /** Only y and yes approve. */
  async #askInLine(request: OpenApproval, signal: AbortSignal): Promise<CardAnswer> {
    printNotice(`\n${styled("yellow", "Approve:")} ${formatRequest(request, this.#view.sessionId)}`)
    const answer = await readLine("Allow this? [y/N] ", signal)
    return { kind: /^\s*y(es)?\s*$/i.test(answer ?? "") ? "approve" : "deny" }
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

  /** By flags, not by the user. */
  async #answer(
    { approvalId, digest }: OpenApproval,
    approved: boolean,
    policy: readonly PolicyFlag[],
    note?: string,
  ): Promise<void> {
    const answer = { approvalId, approved, digest, note, policy: [...policy] }
    this.#report(await this.#handle.send({ type: "approve", ...answer }))
  }

  #report(sent: SendOutcome): void {
    if (sent.kind === "accepted" || sent.refusal.code === "approval.settled") return
    printNotice(`turnhouse: ${describeRefusal(sent.refusal)}`)
  }
}

/** Undefined at the end of the input. While a terminal is read, Ctrl-C is a key; it still interrupts the turn. */
async function readLine(text: string, signal: AbortSignal): Promise<string | undefined> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  terminal.on("SIGINT", () => process.kill(process.pid, "SIGINT"))
  terminal.on("error", () => {}) // EIO of a closed terminal, handled as a hang-up
  const closed = new Promise<undefined>((resolve) => terminal.once("close", () => resolve(undefined)))
  const typed = terminal.question(text, { signal })
  try {
    return await Promise.race([typed, closed])
  } finally {
    typed.catch(() => {}) // closing rejects a line that is not complete
    terminal.close()
  }
}

/** `✓ approved by root via console, 09:41:07 · git push origin main`; nothing if the turn is over. */
function withdrawalLine({ request: { tool, input }, settlement }: OpenQuestion): string | undefined {
  if (settlement === undefined || settlement.outcome === "void") return undefined
  const { outcome, by, at } = settlement
  const sign = outcome === "approved" ? styled("green", "✓") : styled("red", "✗")
  const who = by === undefined ? "" : ` by ${principalName(by.principal)} via ${by.door}`
  const what = oneLine(`${tool} ${mainArgument(tool, input)}`, MAX_SUMMARY_LENGTH)
  return `${sign} ${outcomeText[outcome]}${who}, ${moment(at).slice(-8)} · ${what}`
}

const MAX_SUMMARY_LENGTH = 100
const MAX_REASON_LENGTH = 200
const outcomeText = { approved: "approved", denied: "denied", expired: "not answered in time" }

function waitingLine({ approvalId, questions, reason }: OpenApproval): string {
  if (questions === undefined) return `waiting for approval: turnhouse approve ${approvalId}`
  return `waiting for an answer: ${oneLine(reason, MAX_REASON_LENGTH)}  turnhouse approve ${approvalId} --answer TEXT`
}

/** The request with what it would change and its exact arguments. */
export function formatRequest(request: OpenApproval, watched: string): string {
  const { sessionId, tool, reason, questions, server } = request
  const requester = sessionId === watched ? "" : `  requested by agent ${sessionId}\n`
  if (questions !== undefined) return `${askedText({ questions, reason, server })}\n${requester}`.trimEnd()
  return `${oneLine(reason, Infinity)}\n${requester}  ${oneLine(tool, 100)}\n${indented(detailsText(request), 2)}`
}
