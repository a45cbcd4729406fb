// Sends a guard a call that it must block (its canary), on the path of a real call, at its start and at intervals. While
// the guard fails this drill, the calls that it guards are blocked.
import type { JsonValue } from "../../contract/values.ts"
import { beforeToolCall } from "../../protocols/extension/hook-events.ts"
import { decideOn, type Warn } from "./bus.ts"
import type { Clock } from "../process/clock.ts"
import type { HostedExtension } from "../hosted-extension.ts"

export interface Canary {
  readonly tool: string
  readonly input: JsonValue
}

export interface DrillDeps {
  readonly clock: Clock
  readonly everyMs: number
  readonly alarm: Warn
  readonly debug: Warn
}

/** Sends the canary at the start of the guard, and again until the signal aborts. */
export class Drill {
  readonly #first = Promise.withResolvers<void>()
  #problem: string | undefined

  /** Why the guard cannot be relied on now. Waits for the result of the first drill. */
  async problem(): Promise<string | undefined> {
    await this.#first.promise
    return this.#problem
  }

  async run(guard: HostedExtension, canary: Canary, deps: DrillDeps, signal: AbortSignal): Promise<void> {
    const { clock, everyMs, alarm, debug } = deps
    await guard.started
    while (!signal.aborted) {
      const problem = await drill(guard, canary, debug)
      const isNew = problem !== this.#problem
      this.#problem = problem
      this.#first.resolve()
      if (isNew && !signal.aborted) alarm(sentenceOn(guard, problem))
      await clock.sleep(everyMs, signal).catch(() => {}) // stopped
    }
    this.#first.resolve()
  }
}

function sentenceOn({ id, isGuard }: HostedExtension, problem: string | undefined): string {
  if (problem === undefined) return `The guard '${id}' passes its drill again.`
  const effect = isGuard ? "The calls that it guards are blocked until it passes." : "Do not rely on it."
  return `THE GUARD '${id}' FAILED ITS DRILL: ${problem}. ${effect}`
}

/** Undefined when the guard itself blocked its canary. */
export async function drill(guard: HostedExtension, canary: Canary, debug: Warn): Promise<string | undefined> {
  const { tool, input } = canary
  const event = beforeToolCall({ name: tool, runtimeName: tool, input }, null)
  const verdicts = guard.drillHandlers.map((handler) => ({ ...handler, isGuard: false }))
  const { kind } = await decideOn(verdicts, event, debug)
  if (kind === "block") return undefined
  const response = {
    continue: "let it through or gave no decision",
    confirm: "only asked for confirmation",
    modify: "only changed it",
  }[kind]
  return `it must block the canary (${tool}), and it ${response}`
}
