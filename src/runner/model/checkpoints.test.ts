import { expect, it } from "vitest"
import type { StreamedBlock } from "../../contract/values.ts"
import { openMemoryLog } from "../../log/sqlite/sqlite-log.ts"
import { gate, type Part } from "../../testing/index.ts"
import { newSession, next, prompt, testHost, you } from "../../testing/test-host.ts"
import { inOrder } from "../../testing/service-world.ts"
import { CheckpointTimer } from "./checkpoint-timer.ts"

class HandBeat extends CheckpointTimer {
  #acts: (() => void)[] = []

  override subscribe(act: () => void): () => void {
    this.#acts.push(act)
    return () => {}
  }

  strike(): void {
    for (const act of this.#acts) act()
  }
}

it("stores streamed text piece by piece, and a refused piece again before the next", async () => {
  const pauses = [gate(), gate(), gate()]
  const said: readonly Part[] = pauses.flatMap((pause, at): readonly Part[] => [{ text: `${at}.` }, { gate: pause }])
  const log = openMemoryLog()
  const kept: string[] = []
  const refusal = Promise.withResolvers<void>()
  log.checkpoint = async (_lease, _session, { blocks }: { readonly blocks: readonly StreamedBlock[] }) => {
    kept.push(blocks.map(({ text }) => text).join(""))
    if (kept.length > 1) return { kind: "ok", value: undefined }
    await refusal.promise
    return { kind: "refused", refusal: { code: "log.unavailable", what: "the disk is full" } }
  }
  const checkpoints = new HandBeat(1000)
  const { host } = await testHost(inOrder([said]).models, [], { checkpoints }, log)
  const session = await newSession(host)
  const ended = next(session, "turn.ended")
  await prompt(session, "speak")
  for (const pause of pauses.slice(0, 2)) {
    await pause.arrived
    checkpoints.strike()
    pause.open()
  }
  expect(kept).toEqual(["0."]) // the second waits for the first
  refusal.resolve()
  await pauses[2]?.arrived
  checkpoints.strike()
  expect(kept).toEqual(["0.", "0.1.2."])
  await session.send({ type: "interrupt" }, you)
  await ended
  await host.close()
})
