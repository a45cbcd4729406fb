// One trace record per hook call: hook, kind of answer and duration, never its content.
import { isJsonObject } from "../../contract/json-object.ts"
import type { HookEvent } from "../../protocols/extension/frames.ts"
import type { Reply } from "../../processes/rpc-process.ts"

export interface TracedExtension {
  readonly health: string
  readonly restarts: number
  readonly spec: { readonly id: string }
}

export function traceLine({ kind }: HookEvent, reply: Reply, ms: number, extension: TracedExtension): string {
  const record = {
    hook: kind,
    extension: extension.spec.id,
    action: actionOf(reply),
    duration_ms: Math.round(ms * 10) / 10,
    health: extension.health,
    restart_count: extension.restarts,
  }
  return `trace ${JSON.stringify(record)}`
}

function actionOf(reply: Reply): string {
  switch (reply.kind) {
    case "given-up":
      return "timeout"
    case "error":
    case "fault":
      return reply.kind
    case "result": {
      const action = isJsonObject(reply.value) ? reply.value["action"] : undefined
      return typeof action === "string" ? action.slice(0, 60) : "none"
    }
  }
}

export interface HookTimes {
  readonly calls: number
  readonly medianMs: number
  readonly longestMs: number
}

const MAX_SAMPLES = 500

export class HookStopwatch {
  readonly #newest: number[] = []
  #calls = 0
  #longestMs = 0

  add(ms: number): void {
    this.#newest[this.#calls % MAX_SAMPLES] = ms
    this.#calls++
    this.#longestMs = Math.max(this.#longestMs, ms)
  }

  get times(): HookTimes {
    const sorted = this.#newest.toSorted((a, b) => a - b)
    const medianMs = sorted[Math.floor(sorted.length / 2)] ?? 0
    return { calls: this.#calls, medianMs: rounded(medianMs), longestMs: rounded(this.#longestMs) }
  }
}

function rounded(ms: number): number {
  return Math.round(ms * 100) / 100
}
