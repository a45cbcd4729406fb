// Interprets events and deltas of the house wire. Text that deltas delivered is not reported again at the end of a block.
import { memberIn, textIn, type JsonObject } from "../../../src/contract/json-object.ts"
import type { JsonValue } from "../../../src/contract/values.ts"
import type { End } from "../scenario.ts"
import type { Observation } from "./client.ts"

const ends: Readonly<Record<string, End>> = {
  done: "done",
  interrupted: "cancelled",
  failed: "failed",
  "step-limit": "step-limit",
}
const ignoredEvents: ReadonlySet<string> = new Set([
  "session.created",
  "session.reopened",
  "prompt.admitted",
  "prompt.promoted",
  "turn.adopted",
  "step.started",
  "step.ended",
  "response.ended",
  "tool.started",
  "approval.decided",
  "escalation.raised",
  "escalation.settled",
  "workflow.judged",
])
const ignoredDeltas: ReadonlySet<string> = new Set(["tool-input.delta", "tool.progressed", "presence.changed"])

export class HouseEvents {
  /** The last event before the running turn, or the last one: a new watch starts there. */
  turnFrom: number
  isInTurn = false
  /** The last requested approval. */
  approval: JsonObject = {}
  readonly #calls = new Map<string, string>()
  readonly #sent = new Map<string, number>()

  constructor(turnFrom: number) {
    this.turnFrom = turnFrom
  }

  interpret(frame: JsonObject): readonly Observation[] | undefined {
    switch (frame["type"]) {
      case "event":
        return this.#event(memberIn(frame, "event"))
      case "delta":
        return this.#delta(memberIn(frame, "delta"))
      case "streamed":
        return this.#streamed(frame)
      default:
        return undefined
    }
  }

  #event(event: JsonValue | undefined): readonly Observation[] | undefined {
    const type = textIn(event, "type") ?? ""
    switch (type) {
      case "turn.started":
        this.isInTurn = true
        this.turnFrom = Number(memberIn(event, "seq")) - 1
        return []
      case "text.ended":
        return this.#rest("text", event, textIn(event, "text") ?? "")
      case "reasoning.ended":
        return this.#rest("reasoning", event, textIn(event, "text") ?? "")
      case "tool.called":
        return [this.#called(event)]
      case "tool.refused":
        return [this.#result(event, textIn(event, "reason"), true)]
      case "tool.unsettled":
        return [this.#result(event, textIn(event, "evidence"), true)]
      case "tool.ended":
        return [this.#result(event, textIn(event, "output"), textIn(event, "outcome") !== "done")]
      case "approval.requested":
        this.approval = { approvalId: textIn(event, "approvalId"), digest: textIn(event, "digest") }
        return [{ kind: "approval", tool: textIn(event, "tool") ?? "" }]
      case "turn.ended":
        this.isInTurn = false
        this.turnFrom = Number(memberIn(event, "seq"))
        return [{ kind: "end", how: ends[textIn(event, "reason") ?? ""] ?? "failed" }]
      default:
        return ignoredEvents.has(type) ? [] : undefined
    }
  }

  #delta(delta: JsonValue | undefined): readonly Observation[] | undefined {
    const type = textIn(delta, "type") ?? ""
    const text = textIn(delta, "delta") ?? ""
    if (type !== "text.delta" && type !== "reasoning.delta") return ignoredDeltas.has(type) ? [] : undefined
    this.#sent.set(blockOf(delta), (this.#sent.get(blockOf(delta)) ?? 0) + text.length)
    return [{ kind: type === "text.delta" ? "text" : "reasoning", text }]
  }

  #streamed(frame: JsonObject): readonly Observation[] {
    const blocks = memberIn(frame, "blocks")
    return (Array.isArray(blocks) ? blocks : []).flatMap((block: JsonValue) => {
      const kind = textIn(block, "kind") === "reasoning" ? "reasoning" : "text"
      const place = { stepId: frame["stepId"], block: memberIn(block, "block") }
      return this.#rest(kind, place, textIn(block, "text") ?? "")
    })
  }

  /** The part of a block that was not reported yet. */
  #rest(kind: "text" | "reasoning", block: JsonValue | undefined, text: string): readonly Observation[] {
    const rest = text.slice(this.#sent.get(blockOf(block)) ?? 0)
    this.#sent.set(blockOf(block), text.length)
    return rest === "" ? [] : [{ kind, text: rest }]
  }

  #called(event: JsonValue | undefined): Observation {
    const tool = textIn(event, "tool") ?? ""
    this.#calls.set(textIn(event, "callId") ?? "", tool)
    return { kind: "call", tool, input: memberIn(event, "input") ?? null }
  }

  #result(event: JsonValue | undefined, text: string | undefined, failed: boolean): Observation {
    return { kind: "result", tool: this.#calls.get(textIn(event, "callId") ?? "") ?? "", text: text ?? "", failed }
  }
}

function blockOf(value: JsonValue | undefined): string {
  return JSON.stringify([textIn(value, "stepId"), memberIn(value, "block")])
}
