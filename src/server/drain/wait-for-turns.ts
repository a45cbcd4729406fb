// Waits for running turns to end before the server stops. Turns that wait for a person or a time are not waited for:
// they are stored, and the next host continues them.
import type { SessionHost } from "../../host/session-host.ts"
import { pause } from "../../runner/waiting.ts"
import { hasRunningTurn } from "../running-turn.ts"

/** Resolves when no turn runs, at the latest after `graceMs`. */
export async function waitForTurns(host: SessionHost, graceMs: number): Promise<void> {
  const finished = new AbortController()
  const timeout = pause(graceMs, finished.signal).then(() => "enough" as const)
  let changed = Promise.withResolvers<"changed">()
  const detach = host.onSession((session) => {
    session.watch((item) => item.kind === "delta" || changed.resolve("changed"))
  })
  for (let event = "changed"; event === "changed"; event = await Promise.race([changed.promise, timeout])) {
    changed = Promise.withResolvers() // before the check, so that no change is missed
    if (!(await host.sessions()).some(({ state }) => hasRunningTurn(state))) break
  }
  detach()
  finished.abort()
}
