// What the events and deltas of the house wire mean for whoever follows a session. Deltas are hints: what they have said
// of a block is not said again by its end.
import { memberIn, textIn, type JsonObject } from "../../../src/contract/json-object.ts"
import type { JsonValue } from "../../../src/contract/values.ts"
import type { End } from "../scenario.ts"
import type { Happening } from "./client.ts"

const ends: Readonly<Record<string, End>> = {
  done: "done",
  interrupted: "cancelled",
  failed: "failed",
  "step-limit": "step-limit",
}
const saysNothing: ReadonlySet<string> = new Set([
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
const onlyHints: ReadonlySet<string> = new Set(["tool-input.delta", "tool.progressed", "presence.changed"])

export class HouseStory {
  /** The last event before the turn that runs, or the last one at all: from there it can be told again. */
  turnFrom: number
  isInTurn = false
  /** The one that was asked for last. */
  approval: JsonObject = {}
  readonly #calls = new Map<string, string>()
  readonly #told = new Map<string, number>()

  constructor(turnFrom: number) {
    this.turnFrom = turnFrom
  }

  meaning(frame: JsonObject): readonly Happening[] | undefined {
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

  #event(event: JsonValue | undefined): readonly Happening[] | undefined {
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
        return saysNothing.has(type) ? [] : undefined
    }
  }

  #delta(delta: JsonValue | undefined): readonly Happening[] | undefined {
    const type = textIn(delta, "type") ?? ""
    const text = textIn(delta, "delta") ?? ""
    if (type !== "text.delta" && type !== "reasoning.delta") return onlyHints.has(type) ? [] : undefined
    this.#told.set(blockOf(delta), (this.#told.get(blockOf(delta)) ?? 0) + text.length)
    return [{ kind: type === "text.delta" ? "text" : "reasoning", text }]
  }

  #streamed(frame: JsonObject): readonly Happening[] {
    const blocks = memberIn(frame, "blocks")
    return (Array.isArray(blocks) ? blocks : []).flatMap((block: JsonValue) => {
      const kind = textIn(block, "kind") === "reasoning" ? "reasoning" : "text"
      const place = { stepId: frame["stepId"], block: memberIn(block, "block") }
      return this.#rest(kind, place, textIn(block, "text") ?? "")
    })
  }

  /** What has not been told of a block yet. */
  #rest(kind: "text" | "reasoning", block: JsonValue | undefined, text: string): readonly Happening[] {
    const rest = text.slice(this.#told.get(blockOf(block)) ?? 0)
    this.#told.set(blockOf(block), text.length)
    return rest === "" ? [] : [{ kind, text: rest }]
  }

  #called(event: JsonValue | undefined): Happening {
    const tool = textIn(event, "tool") ?? ""
    this.#calls.set(textIn(event, "callId") ?? "", tool)
    return { kind: "call", tool, input: memberIn(event, "input") ?? null }
  }

  #result(event: JsonValue | undefined, text: string | undefined, failed: boolean): Happening {
    return { kind: "result", tool: this.#calls.get(textIn(event, "callId") ?? "") ?? "", text: text ?? "", failed }
  }
}

function blockOf(value: JsonValue | undefined): string {
  return JSON.stringify([textIn(value, "stepId"), memberIn(value, "block")])
}
