// What this wire shows as sub-agents: children of the session, and approval requests, for which it has no frame.
// Each gets a number that is unique in this process, a start, and exactly one end, at the latest with its turn.
import { rpcLimits } from "./limits.ts"
import type { FrameSink } from "./codec.ts"

interface OpenSubagent {
  readonly subagent_id: number
  readonly agent_name: string
  readonly startedAt: number
}

export class Subagents {
  readonly #sink: FrameSink
  readonly #nextNumber: () => number
  readonly #open = new Map<string, OpenSubagent>()

  constructor(sink: FrameSink, nextNumber: () => number) {
    this.#sink = sink
    this.#nextNumber = nextNumber
  }

  start(key: string, agent_name: string, task: string, startedAt: number): void {
    const subagent_id = this.#nextNumber()
    this.#open.set(key, { subagent_id, agent_name, startedAt })
    this.#sink.frame({
      type: "subagent_start",
      subagent_id,
      agent_name,
      task_preview: preview(task, rpcLimits.taskPreview),
    })
  }

  update(key: string, status: string): void {
    const open = this.#open.get(key)
    if (open === undefined) return
    const { subagent_id, agent_name } = open
    this.#sink.frame({ type: "subagent_update", subagent_id, agent_name, status })
  }

  done(key: string, result: string, at: number): void {
    const open = this.#open.get(key)
    if (open === undefined) return
    this.#open.delete(key)
    const { subagent_id, agent_name, startedAt } = open
    const duration_secs = Math.max(0, at - startedAt) / 1000
    const result_preview = preview(result, rpcLimits.resultPreview)
    this.#sink.frame({ type: "subagent_done", subagent_id, agent_name, result_preview, duration_secs })
  }

  allDone(result: string, at: number): void {
    for (const key of this.#open.keys()) this.done(key, result, at)
  }
}

function preview(text: string, length: number): string {
  const characters = Array.from(text.slice(0, 2 * length).toWellFormed())
  return characters.slice(0, length).join("")
}
