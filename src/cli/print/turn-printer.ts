// What a turn prints: its text as it streams, tool calls, notices and sources. The output decides how they look.
import { takePrintedWarning } from "../../app/terminal.ts"
import type { SessionDelta } from "../../contract/deltas.ts"
import type { EventOf, Recorded } from "../../contract/events.ts"
import type { WatchItem } from "../../contract/host-port.ts"
import { finishSentence } from "../../contract/text/finish-sentence.ts"
import { undecidedSentence } from "../../features/voting/odds.ts"
import type { CallId } from "../../contract/ids.ts"
import { oneLine } from "../../contract/text/text.ts"
import { taskLines } from "../../features/tasks/task-list.ts"
import { shellEndText, shellName } from "../../features/shells/shell-text.ts"
import { UnsentText } from "../../projection/unsent-text.ts"
import type { SessionView } from "../../app/sessions/session-view.ts"
import type { ShownCall } from "../../display/call-lines.ts"
import { PrintedAnswer } from "./printed-answer.ts"
import { TurnSummary } from "./turn-summary.ts"
import type { CallStop, Tone, TurnOutput } from "./turn-output.ts"

const MAX_SUMMARY_LENGTH = 100

export class TurnPrinter {
  readonly #view: SessionView
  readonly #output: TurnOutput
  readonly #unsent = new UnsentText()
  readonly #answer = new PrintedAnswer()
  readonly #summary = new TurnSummary()

  #hasSteps = false

  constructor(view: SessionView, output: TurnOutput) {
    this.#view = view
    this.#output = output
  }

  /** To be called after the view is updated. */
  show(item: WatchItem): void {
    if (item.kind === "delta") this.#delta(item.delta)
    if (item.kind === "event") {
      this.#summary.take(item.recorded)
      this.#event(item.recorded)
    }
    if (item.kind === "streamed") this.#streamed(item)
  }

  notice(tone: Tone, text: string): void {
    this.#output.notice(tone, text)
  }

  endLine(): void {
    this.#output.endText()
  }

  /** The last line of the newest turn. */
  sum(contextShare?: number): void {
    this.#output.close()
    const line = this.#summary.line(this.#view.sessionId, this.#view.status, contextShare)
    if (line !== undefined) this.notice("dim", line)
  }

  /** How long the newest turn took, where that is known. */
  get turnMs(): number | undefined {
    return this.#summary.ms
  }

  #delta(delta: SessionDelta): void {
    if (delta.type === "text.delta") this.#output.text(this.#unsent.delta(delta.stepId, delta.block, delta.delta))
    if (delta.type === "tool.progressed") this.#output.progress(delta.callId, delta.message, delta.output)
    if (delta.type === "voting.progressed") this.#output.progress(undefined, delta.message, undefined)
    // What concerns the configuration was printed before the session was opened.
    if (delta.type === "host.warned" && this.#hasSteps && !takePrintedWarning(delta.message))
      this.notice("yellow", delta.message)
  }

  #streamed({ stepId, blocks }: Extract<WatchItem, { kind: "streamed" }>): void {
    for (const { block, kind, text } of blocks)
      if (kind === "text") this.#output.text(this.#unsent.textSoFar(stepId, block, text))
  }

  #event({ event, at }: Recorded): void {
    this.#answer.take(event)
    switch (event.type) {
      case "step.started":
        this.#hasSteps = true
        return this.#unsent.startStep(event.stepId)
      case "text.ended":
        this.#output.text(this.#unsent.ended(event.stepId, event.block, event.text))
        return event.interrupted === true ? undefined : this.#output.endText() // a new step may continue the line
      case "tool.started":
        return isShownAsList(this.#call(event.callId))
          ? undefined
          : this.#output.callStarted(event.callId, this.#call(event.callId), at)
      case "tasks.written":
        return this.notice("dim", taskLines(event.tasks))
      case "tool.ended":
        return this.#callEnded(event, at)
      case "tool.refused":
        return this.#stopped(event.callId, { sign: "⊘", tone: "yellow", reason: event.reason })
      case "tool.unsettled":
        return this.#stopped(event.callId, { sign: "?", tone: "red", reason: `outcome unknown: ${event.evidence}` })
      case "response.ended":
        return this.#noteVotes(event)
      case "shell.ended":
        return this.notice("dim", `${shellName(event.shellId, event.command)} ${shellEndText(event)}`)
      case "turn.parked":
        return this.notice("yellow", event.message)
      case "model.replaced":
        return this.notice("yellow", `${event.from} fails, continuing with ${event.model}: ${event.reason}`)
      case "turn.adopted":
        return this.notice("dim", "the previous host died; the turn continues on another one")
      case "compaction.started":
        return this.notice("dim", "compacting the context …")
      case "policy.granted":
        return this.notice("dim", grantedText(event))
      case "plan.entered":
        return this.notice("dim", `entered plan mode${focusText(event.focus)}; nothing can be changed`)
      case "plan.exited":
        return this.notice("dim", `left plan mode${summaryText(event.summary)}`)
      case "turn.ended":
        this.#unsent.startStep(undefined)
        this.#writeSources(event.reason === "done")
        return this.#endOfTurn(event)
      default:
        return // not shown
    }
  }

  #callEnded({ callId, outcome, output, details }: EventOf<"tool.ended">, at: number): void {
    const call = this.#call(callId)
    if (isShownAsList(call) && outcome === "done") return
    this.#output.callEnded(callId, call, { outcome, output, details }, at)
  }

  #stopped(callId: CallId, stop: CallStop): void {
    this.#output.callStopped(callId, this.#call(callId), stop)
  }

  #call(callId: CallId): ShownCall {
    return this.#view.call(callId) ?? { tool: "a call", input: {} }
  }

  #endOfTurn({ reason, error, finish }: EventOf<"turn.ended">): void {
    if (reason === "failed") this.notice("red", `turn failed: ${error ?? "no reason given"}`)
    if (reason === "interrupted") this.notice("yellow", "interrupted")
    if (finish !== undefined) this.notice("yellow", finishSentence(finish))
    if (reason === "step-limit") this.notice("yellow", "ended: step limit reached")
  }

  #noteVotes({ votes }: EventOf<"response.ended">): void {
    const text = votes === undefined ? undefined : undecidedSentence(votes)
    if (text !== undefined) this.notice("yellow", text)
  }

  #writeSources(isAnswered: boolean): void {
    const { sources, note } = this.#answer.end()
    if (sources !== "" && isAnswered) this.#output.verbatim(sources)
    if (note !== undefined && isAnswered) this.notice("yellow", note)
  }
}

/** The list that it writes is shown instead. */
function isShownAsList({ tool }: ShownCall): boolean {
  return tool === "todo"
}

function grantedText({ tool, pattern, scope, grantId }: EventOf<"policy.granted">): string {
  const where = scope === "folder" ? "in this folder" : "in this session"
  const what = oneLine(`${tool} ${pattern}`, MAX_SUMMARY_LENGTH)
  return `allowed ${where} from now on: ${what} (revoke: turnhouse approvals --revoke ${grantId})`
}

function focusText(focus: string | undefined): string {
  return focus === undefined ? "" : `: ${focus}`
}

function summaryText(summary: string | undefined): string {
  return summary === undefined ? "" : `; the conversation continues with this plan:\n${summary}`
}
