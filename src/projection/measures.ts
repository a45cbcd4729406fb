// What the answers of models and the calls of tools in a session took and cost, oldest first: the source of its charts.
import type { EventOf, Recorded } from "../contract/events.ts"
import type { Usage } from "../contract/values.ts"

export interface ModelMeasure {
  /** When the answer was complete. */
  readonly at: number
  readonly model: string
  /** From the start of the step, which is before the request. */
  readonly ms: number
  /** Absent where the provider reported none. */
  readonly usage: Usage | undefined
  /** Absent where the price is not known. */
  readonly usd: number | undefined
}

export interface ToolMeasure {
  readonly at: number
  readonly tool: string
  /** Without the time in which it waited for a person or a lock. */
  readonly ms: number
  readonly outcome: EventOf<"tool.ended">["outcome"]
}

export interface Measures {
  readonly models: readonly ModelMeasure[]
  readonly tools: readonly ToolMeasure[]
}

export function measuresOf(events: readonly Recorded[]): Measures {
  const models: ModelMeasure[] = []
  const tools: ToolMeasure[] = []
  const measuring = new Measuring()
  for (const recorded of events) {
    const measure = measuring.take(recorded)
    if (measure === undefined) continue
    if ("tool" in measure) tools.push(measure)
    else models.push(measure)
  }
  return { models, tools }
}

/** A step or a call that has not ended: a step since `at`, a call of `tool` since `at`, which is absent before it starts. */
export interface OpenMeasure {
  readonly id: string
  readonly tool: string | undefined
  readonly at: number | undefined
}

/** Measures event by event. What is open can be stored, so that a later reader continues. */
export class Measuring {
  readonly #open: Map<string, OpenMeasure>

  constructor(open: readonly OpenMeasure[] = []) {
    this.#open = new Map(open.map((one) => [one.id, one]))
  }

  get open(): readonly OpenMeasure[] {
    return [...this.#open.values()]
  }

  take({ at, event }: Recorded): ModelMeasure | ToolMeasure | undefined {
    switch (event.type) {
      case "step.started":
        return this.#set({ id: event.stepId, tool: undefined, at })
      case "tool.called":
        return this.#set({ id: event.callId, tool: event.tool, at: undefined })
      case "tool.started":
        return this.#set({ id: event.callId, tool: this.#open.get(event.callId)?.tool, at })
      case "response.ended":
        return modelMeasure(event, at, this.#end(event.stepId)?.at)
      case "tool.ended":
        return toolMeasure(event, at, this.#end(event.callId))
      case "turn.ended":
        this.#open.clear()
        return undefined
      default:
        return undefined // takes no time
    }
  }

  #set(one: OpenMeasure): undefined {
    this.#open.set(one.id, one)
  }

  #end(id: string): OpenMeasure | undefined {
    const one = this.#open.get(id)
    this.#open.delete(id)
    return one
  }
}

function toolMeasure(
  { outcome }: EventOf<"tool.ended">,
  at: number,
  { tool, at: startedAt }: Partial<OpenMeasure> = {},
): ToolMeasure | undefined {
  return tool === undefined || startedAt === undefined ? undefined : { at, tool, ms: at - startedAt, outcome }
}

function modelMeasure(event: EventOf<"response.ended">, at: number, startedAt = at): ModelMeasure {
  return { at, model: event.model, ms: at - startedAt, usage: event.usage, usd: event.costUsd }
}
