// Waiting until nothing runs: a server that is to leave lets turns come to their end. One that waits for a person, or
// for a time, is not waited for: it is stored, and the next host has it.
import type { SessionHost } from "../../host/session-host.ts"
import { pause } from "../../runner/waiting.ts"
import { type SessionState } from "../../session/state.ts"
import { openApprovals } from "../../features/approvals/state.ts"
import { openChildApprovals } from "../../features/agent-tree/state.ts"

/** Resolves when nothing runs, at the latest when the patience is over. */
export async function waitForTurns(host: SessionHost, patienceMs: number): Promise<void> {
  const over = new AbortController()
  const enough = pause(patienceMs, over.signal).then(() => "enough" as const)
  let changed = Promise.withResolvers<"changed">()
  const leave = host.attend((session) => {
    session.watch((item) => item.kind === "delta" || changed.resolve("changed"))
  })
  for (let news = "changed"; news === "changed"; news = await Promise.race([changed.promise, enough])) {
    changed = Promise.withResolvers() // before the look, so that nothing happens unseen
    if (!(await host.sessions()).some(({ state }) => isAtWork(state))) break
  }
  leave()
  over.abort()
}

function isAtWork(state: SessionState): boolean {
  const { turn, waiting, interactions, verifications, life, asleep } = state
  if (asleep || life === "ended") return false
  if (turn === undefined) return waiting.length > 0
  if (turn.parked !== undefined) return false
  if (verifications.some(({ parked, phase }) => parked && phase === "sent")) return false
  return openApprovals(state).length + openChildApprovals(state).length + interactions.length === 0
}
