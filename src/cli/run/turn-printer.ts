// A turn for a person: the answer on stdout, word by word; tools, notices and the cost on stderr.
import type { SessionDelta } from "../../contract/deltas.ts"
import type { EventOf, SessionEvent } from "../../contract/events.ts"
import type { CallId } from "../../contract/ids.ts"
import { mainArgument } from "../../contract/main-argument.ts"
import type { JsonValue } from "../../contract/values.ts"
import { contextItems } from "../../projection/context.ts"
import type { WatchItem } from "../../contract/house-port.ts"
import type { SessionActor } from "../../runner/session-actor.ts"
import { oneLine, printable, say, styled } from "../terminal.ts"

const gistLength = 100

export class TurnPrinter {
  readonly #session: SessionActor
  readonly #calls = new Map<CallId, string>()
  /** Blocks of which deltas were printed: their end repeats what was said. */
  readonly #streamed = new Set<string>()
  #midLine = false
  #progress = false

  constructor(session: SessionActor) {
    this.#session = session
  }

  show(item: WatchItem): void {
    if (item.kind === "delta") this.#delta(item.delta)
    if (item.kind === "event") this.#event(item.recorded.event)
  }

  end(): void {
    this.#endLine()
    const { usd, input, output, modelCalls, unpricedCalls } = this.#session.status.usage.turn
    if (modelCalls === 0) return
    const cost = unpricedCalls > 0 ? "price unknown" : `$${usd.toFixed(4)}`
    say(styled("dim", `${input} tokens in, ${output} out, ${cost}`))
  }

  #delta(delta: SessionDelta): void {
    if (delta.type === "text.delta") {
      this.#streamed.add(`${delta.stepId}:${delta.block}`)
      this.#write(delta.delta)
    }
    if (delta.type === "tool.progressed" && process.stderr.isTTY) this.#showProgress(delta.message)
  }

  #event(event: SessionEvent): void {
    switch (event.type) {
      case "text.ended":
        if (!this.#streamed.has(`${event.stepId}:${event.block}`)) this.#write(event.text)
        return this.#endLine()
      case "tool.called":
        this.#calls.set(event.callId, gist(event))
        return
      case "tool.started":
        return this.#note("→", "cyan", event.callId)
      case "tool.ended":
        if (event.outcome !== "done") this.#note("✗", "red", event.callId, lastLine(event.output))
        return
      case "tool.refused":
        return this.#note("⊘", "yellow", event.callId, event.reason)
      case "tool.unsettled":
        return this.#note("?", "red", event.callId, `outcome unknown: ${event.evidence}`)
      case "turn.parked":
        return this.#notice("yellow", event.message)
      case "compaction.started":
        return this.#notice("dim", "the context is being summarised …")
      case "turn.ended":
        return this.#endOfTurn(event)
      default:
        return // of no interest to somebody who reads along
    }
  }

  #endOfTurn({ reason, error }: EventOf<"turn.ended">): void {
    if (reason === "failed") this.#notice("red", `the turn failed: ${error ?? "no reason was given"}`)
    if (reason === "interrupted") this.#notice("yellow", "interrupted")
    if (reason === "step-limit") this.#notice("yellow", "ended at the limit of its steps")
  }

  #write(text: string): void {
    this.#clearProgress()
    const shown = process.stdout.isTTY ? printable(text) : text
    process.stdout.write(shown)
    this.#midLine = !shown.endsWith("\n")
  }

  #endLine(): void {
    this.#clearProgress()
    if (this.#midLine) process.stdout.write("\n")
    this.#midLine = false
  }

  #note(sign: string, colour: "cyan" | "red" | "yellow", callId: CallId, more?: string): void {
    this.#endLine()
    const call = this.#calls.get(callId) ?? this.#earlierCall(callId)
    const text = oneLine(more === undefined ? call : `${call}: ${more}`, 200)
    say(`${styled(colour, sign)} ${text}`)
  }

  /** A call that was made before we came. */
  #earlierCall(callId: CallId): string {
    const parts = contextItems(this.#session.context).flatMap((item) => (item.kind === "assistant" ? item.parts : []))
    const call = parts.find((part) => part.kind === "call" && part.callId === callId)
    return call?.kind === "call" ? gist(call) : "a call"
  }

  #notice(colour: "dim" | "red" | "yellow", text: string): void {
    this.#endLine()
    say(styled(colour, printable(text)))
  }

  #showProgress(message: string): void {
    this.#endLine()
    process.stderr.write(`\r\u001b[K${styled("dim", oneLine(message, gistLength))}`)
    this.#progress = true
  }

  #clearProgress(): void {
    if (this.#progress) process.stderr.write("\r\u001b[K")
    this.#progress = false
  }
}

function gist({ tool, input }: { readonly tool: string; readonly input: JsonValue }): string {
  return oneLine(`${tool} ${mainArgument(input)}`, gistLength)
}

function lastLine(output: string): string {
  return output.trimEnd().split("\n").at(-1) ?? ""
}
