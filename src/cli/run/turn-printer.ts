// Prints a turn: the answer to stdout as it streams; tool calls and notices to stderr, or to the given stream.
import type { SessionDelta } from "../../contract/deltas.ts"
import type { EventOf, SessionEvent } from "../../contract/events.ts"
import type { WatchItem } from "../../contract/host-port.ts"
import { finishSentence } from "../../contract/text/finish-sentence.ts"
import { undecidedSentence } from "../../features/voting/odds.ts"
import type { CallId } from "../../contract/ids.ts"
import { mainArgument } from "../../contract/rules/core-tools.ts"
import type { JsonValue, Citation } from "../../contract/values.ts"
import { oneLine, printable } from "../../contract/text/text.ts"
import { taskLines } from "../../features/tasks/task-list.ts"
import { styled } from "../../app/terminal.ts"
import { shellEndText, shellName } from "../../features/shells/shell-text.ts"
import { LiveTail } from "./live-tail.ts"
import { UnsentText } from "../../projection/unsent-text.ts"
import type { SessionView } from "../../app/sessions/session-view.ts"

const MAX_SUMMARY_LENGTH = 100

export type Tone = "cyan" | "dim" | "red" | "yellow"

export class TurnPrinter {
  readonly #view: SessionView
  readonly #notes: NodeJS.WriteStream
  readonly #unsent = new UnsentText()
  readonly #sources = new Sources()
  #midLine = false
  readonly #tail = new LiveTail()

  #hasSteps = false

  constructor(view: SessionView, notes: NodeJS.WriteStream = process.stderr) {
    this.#view = view
    this.#notes = notes
  }

  /** To be called after the view is updated. */
  show(item: WatchItem): void {
    if (item.kind === "delta") this.#delta(item.delta)
    if (item.kind === "event") this.#event(item.recorded.event)
    if (item.kind === "streamed") this.#streamed(item)
  }

  /** Tokens and cost of the turn. */
  sum(): void {
    this.endLine()
    const { usd, input, output, modelCalls, unpricedCalls } = this.#view.status.usage.turn
    if (modelCalls === 0) return
    const cost = unpricedCalls > 0 ? "price unknown" : `$${usd.toFixed(4)}`
    this.notice("dim", `${input} tokens in, ${output} out, ${cost}`)
  }

  notice(tone: Tone, text: string): void {
    this.endLine()
    this.#notes.write(`${styled(tone, printable(text), this.#notes)}\n`)
  }

  #delta(delta: SessionDelta): void {
    if (delta.type === "text.delta") {
      this.#write(this.#unsent.delta(delta.stepId, delta.block, delta.delta))
    }
    // What concerns the configuration was printed before the session was opened.
    if (delta.type === "host.warned" && this.#hasSteps) this.notice("yellow", delta.message)
    if (process.stderr.isTTY && (delta.type === "tool.progressed" || delta.type === "voting.progressed"))
      this.#showProgress(delta)
  }

  #showProgress(delta: Extract<SessionDelta, { type: "tool.progressed" | "voting.progressed" }>): void {
    if (this.#midLine) this.endLine()
    if (delta.type === "tool.progressed" && delta.output !== undefined) this.#tail.print(delta.callId, delta.output)
    else this.#tail.show([delta.message])
  }

  #streamed({ stepId, blocks }: Extract<WatchItem, { kind: "streamed" }>): void {
    for (const { block, kind, text } of blocks)
      if (kind === "text") this.#write(this.#unsent.textSoFar(stepId, block, text))
  }

  #event(event: SessionEvent): void {
    switch (event.type) {
      case "step.started":
        this.#hasSteps = true
        return this.#unsent.startStep(event.stepId)
      case "text.ended":
        this.#write(this.#unsent.ended(event.stepId, event.block, event.text))
        return event.interrupted === true ? undefined : this.endLine() // a new step may continue the line
      case "tool.started": {
        const isShownAsList = this.#view.call(event.callId)?.tool === "todo"
        return isShownAsList ? undefined : this.#note("→", "cyan", event.callId)
      }
      case "tasks.written":
        return this.notice("dim", taskLines(event.tasks))
      case "tool.ended":
        this.#tail.end(event.callId)
        this.#sources.add(event.citations ?? [])
        if (event.outcome !== "done") this.#note("✗", "red", event.callId, lastLine(event.output))
        return
      case "tool.refused":
        return this.#note("⊘", "yellow", event.callId, event.reason)
      case "tool.unsettled":
        return this.#note("?", "red", event.callId, `outcome unknown: ${event.evidence}`)
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
      case "context.retrieved":
        return this.#sources.add(event.passages)
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
    const text = this.#sources.take()
    if (text === "" || !isAnswered) return
    this.endLine()
    this.#write(text)
  }

  #write(text: string): void {
    if (text === "") return
    this.#tail.clear()
    const shown = process.stdout.isTTY ? printable(text) : text
    process.stdout.write(shown)
    this.#midLine = !shown.endsWith("\n")
  }

  endLine(): void {
    this.#tail.clear()
    if (this.#midLine) process.stdout.write("\n")
    this.#midLine = false
  }

  #note(sign: string, tone: Tone, callId: CallId, more?: string): void {
    this.endLine()
    const call = this.#view.call(callId)
    const what = call === undefined ? "a call" : summarizeCall(call)
    const text = oneLine(more === undefined ? what : `${what}: ${more}`, 200)
    this.#notes.write(`${styled(tone, sign, this.#notes)} ${text}\n`)
  }
}

function summarizeCall({ tool, input }: { readonly tool: string; readonly input: JsonValue }): string {
  return oneLine(`${tool} ${mainArgument(tool, input)}`, MAX_SUMMARY_LENGTH)
}

function focusText(focus: string | undefined): string {
  return focus === undefined ? "" : `: ${focus}`
}

function summaryText(summary: string | undefined): string {
  return summary === undefined ? "" : `; the conversation continues with this plan:\n${summary}`
}

function lastLine(output: string): string {
  return output.trimEnd().split("\n").at(-1) ?? ""
}

const snippetWidth = 100
const MAX_SOURCES = 8

class Sources {
  readonly #cited = new Map<string, Citation>()

  add(citations: readonly Citation[]): void {
    for (const citation of citations) {
      const isNew = !this.#cited.has(citation.id) && this.#cited.size < MAX_SOURCES
      if (isNew && citation.score > 0) this.#cited.set(citation.id, citation)
    }
  }

  /** The list as text; the next turn starts a new one. */
  take(): string {
    const lines = [...this.#cited.values()].map(lineOf)
    this.#cited.clear()
    return lines.length === 0 ? "" : `\nSources:\n${lines.join("")}`
  }
}

function lineOf({ title, url, snippet }: Citation): string {
  const place = url === undefined || url === title ? title : `${title} (${url})`
  return `  ${oneLine(place, 200)}: "${oneLine(snippet, snippetWidth)}"\n`
}
