// Many `turnhouse rpc` children of one home, started at once.
import { expect } from "vitest"
import { writerOf } from "../e2e/log-writer.ts"
import type { Place } from "../e2e/turnhouse.ts"
import { Wire } from "../rpc/wire.ts"

/** Checks that each becomes ready with its session on disk. Returns the exit codes of those that ended silently. */
export async function startAtOnce(place: Place, count: number): Promise<readonly number[]> {
  const wires = Array.from({ length: count }, () => new Wire(place, ["--model", "offline/demo"]))
  const sessions = await Promise.all(wires.map(async (wire) => (await wire.ready()).session_id))
  expect(new Set(sessions).size).toBe(count)
  const stored = (await place.sessions()).map(({ id }) => id)
  expect(new Set(stored)).toEqual(new Set(sessions))
  expect(writerOf(place.home)).toBeDefined()
  const ends = await Promise.all(wires.map((wire) => wire.shutdown()))
  return ends.filter(({ stderr }) => stderr === "").map(({ code }) => code)
}
