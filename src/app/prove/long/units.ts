// What of the events of a session belongs to the context of its model, and where in the log it is.
import type { EventOf, EventType, Recorded } from "../../../contract/events.ts"
import { limits } from "../../../contract/limits.ts"
import { shellNote } from "../../../features/shells/shell-text.ts"
import type { History } from "../crash/check-history.ts"
import { marksIn, type MarkRun } from "./marks.ts"

type Prompt = EventOf<"prompt.admitted">

export interface Unit {
  readonly kind: "prompt" | "text" | "reasoning" | "call" | "result" | "note" | "summary"
  readonly event: EventType
  readonly seq: number
  /** The marks of its text; none for a text that is not of the proof. */
  readonly marks: readonly MarkRun[]
  readonly callId?: string
  readonly shellId?: string
  /** Of a prompt: the turn that it is in. */
  readonly turnId?: string
  /** The model gets its beginning and its end. */
  readonly isBounded?: boolean
}

/** In the order of the log. */
export function unitsOf(history: History): readonly Unit[] {
  const prompts = new Map<string, Prompt>()
  return history.flatMap(({ seq, event }) => {
    if (event.type === "prompt.admitted") prompts.set(event.promptId, event)
    const unit = unitOf(event)
    if (unit !== undefined) return [{ ...unit, event: event.type, seq }]
    if (event.type !== "prompt.promoted") return []
    const { turnId } = event
    return textsOf(prompts.get(event.promptId)).map((text) => {
      return { kind: "prompt", marks: marksIn(text), turnId, event: event.type, seq } as const
    })
  })
}

/** Of the message and of the files with it. */
function textsOf(prompt: Prompt | undefined): readonly string[] {
  const files = prompt?.attachments ?? []
  return [prompt?.text ?? "", ...files.map(({ data = "" }) => Buffer.from(data, "base64").toString("utf8"))]
}

function unitOf(event: Recorded["event"]): Omit<Unit, "event" | "seq"> | undefined {
  switch (event.type) {
    case "text.ended":
      return { kind: "text", marks: marksIn(event.text) }
    case "reasoning.ended":
      return event.interrupted === true ? undefined : { kind: "reasoning", marks: marksIn(event.text) }
    case "tool.called":
      return { kind: "call", marks: marksIn(JSON.stringify(event.input)), callId: event.callId }
    case "tool.ended":
      return resultUnit(event.callId, event.output)
    case "tool.refused":
      return resultUnit(event.callId, event.reason)
    case "shell.ended":
      return shellNote(event) === undefined ? undefined : { kind: "note", marks: [], shellId: event.shellId }
    case "context.compacted":
      return event.summary === "" ? undefined : { kind: "summary", marks: marksIn(event.summary) }
    default:
      return undefined // not for the model
  }
}

function resultUnit(callId: string, output: string): Omit<Unit, "event" | "seq"> {
  return { kind: "result", marks: marksIn(output), callId, isBounded: output.length > limits.toolOutputForModel }
}

/** The event of a step, and the step's start, by the names of the marks that the step said. */
export interface SaidIn {
  /** Of the event with the marks. */
  readonly seq: number
  /** Of `step.started`: what is stored before it must be in the request. */
  readonly startedAt: number
  readonly turnId: string
}

export function stepsByMark(history: History): ReadonlyMap<string, SaidIn> {
  const steps = new Map<string, Omit<SaidIn, "seq">>()
  const said = new Map<string, SaidIn>()
  for (const { seq, event } of history) {
    if (event.type === "step.started") steps.set(event.stepId, { startedAt: seq, turnId: event.turnId })
    if (event.type !== "text.ended" && event.type !== "reasoning.ended" && event.type !== "tool.called") continue
    const step = steps.get(event.stepId)
    const text = event.type === "tool.called" ? JSON.stringify(event.input) : event.text
    for (const { name } of marksIn(text)) if (step !== undefined && !said.has(name)) said.set(name, { seq, ...step })
  }
  return said
}
