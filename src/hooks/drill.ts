// A drill shows that a guard guards: it is sent a call that it must block, just as a real one would reach it, when it has
// started and then again and again. A guard that lets it through is told of loudly; nobody may find out by an accident.
import type { JsonValue } from "../contract/values.ts"
import { beforeToolCall } from "../protocols/extension/hook-events.ts"
import { ruleOn, type Warn } from "./bus.ts"
import type { Clock } from "./clock.ts"
import type { HostedExtension } from "./hosted-extension.ts"

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

/** Until the signal aborts. */
export async function keepDrilling(
  guard: HostedExtension,
  canary: Canary,
  { clock, everyMs, alarm, debug }: DrillDeps,
  signal: AbortSignal,
): Promise<void> {
  await guard.started
  while (!signal.aborted) {
    const problem = await drill(guard, canary, debug)
    if (problem !== undefined && !signal.aborted) alarm(problem)
    await clock.sleep(everyMs, signal).catch(() => {}) // stopped meanwhile
  }
}

/** What is wrong, in a sentence; nothing when the guard blocked its canary by its own verdict. */
export async function drill(guard: HostedExtension, canary: Canary, debug: Warn): Promise<string | undefined> {
  const { tool, input } = canary
  const event = beforeToolCall({ name: tool, runtimeName: tool, input }, null)
  const verdicts = guard.handlers.map((handler) => ({ ...handler, isGuard: false }))
  const { kind } = await ruleOn(verdicts, event, debug)
  if (kind === "block") return undefined
  const did = { continue: "let it through or gave no verdict", confirm: "would only ask", modify: "only changed it" }[
    kind
  ]
  return `THE GUARD '${guard.id}' FAILED ITS DRILL: it must block the canary (${tool}), and it ${did}. Do not rely on it.`
}
