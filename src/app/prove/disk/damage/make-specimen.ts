// Makes the log that is damaged: a real host holds three conversations, and is killed while the newest events are in the
// write-ahead log only.
import { statSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { HouseClient } from "../../../../clients/house/house-client.ts"
import type { SessionId } from "../../../../contract/ids.ts"
import { untilAborted } from "../../../../runner/waiting.ts"
import { accepted } from "../../../app-fault.ts"
import { createLaneHome } from "../../crash/lane-home.ts"
import { backgroundHost, proofDoor, type LaneHome } from "../../crash/lane-kind.ts"
import { Play } from "../../crash/play.ts"
import { SessionRecord } from "../../crash/session-record.ts"
import type { ProofFolder } from "../../run-proof.ts"
import { seeded } from "../../seeded.ts"
import type { Report } from "../../violation.ts"
import { HostLife } from "../host-life.ts"
import { Talk } from "../talk.ts"
import { copied, Specimen, wal } from "./specimen.ts"

/** The host is killed at the first end of a turn when the write-ahead log has this size. */
const WAL_BYTES = 200 * 1024
/** The end of a turn is noted soon. */
const NOTED_MS = 40

/** Returns the sessions: one is over, one has just ended a turn, which is noted outside of the database, one is busy. */
async function converse(
  home: LaneHome,
  client: HouseClient,
  seed: number,
  report: Report,
): Promise<readonly SessionId[]> {
  const path = join(home.workspace.home, wal)
  const isLarge = () => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > WAL_BYTES
  const talk = async (number: number) => {
    const created = accepted(
      await client.create({ cwd: home.workspace.path("folder"), origin: proofDoor, model: home.model }),
    )
    const record = new SessionRecord(created.handle.sessionId, report)
    const ended = Promise.withResolvers<void>()
    const onEvent = () => isLarge() && record.shown.at(-1)?.event.type === "turn.ended" && ended.resolve()
    const play = new Play(backgroundHost, number, seeded(seed + number))
    const talking = new Talk({ client, record, play, onEvent, onRefused: () => {} })
    await talking.start()
    return { id: record.sessionId, over: talking.over, ended: ended.promise }
  }
  const first = await talk(1)
  await Promise.race([first.over, client.closed])
  const [one, other] = await Promise.all([talk(2), talk(3)])
  await Promise.race([one.ended, other.ended, client.closed])
  return [first.id, one.id, other.id]
}

/** Leaves no process behind. */
export async function makeSpecimen(place: ProofFolder, seed: number, report: Report): Promise<Specimen | undefined> {
  const home = createLaneHome(place, "original", backgroundHost)
  const life = new HostLife(home, { under: [], home: home.workspace.home })
  try {
    const client = await life.connect(place.signal)
    if (client === undefined) return undefined
    const talking = converse(home, client, seed, report)
    const ids = await Promise.race([talking, untilAborted(place.signal)])
    if (ids === undefined) return undefined
    await sleep(NOTED_MS)
    if (life.process.exit !== undefined) throw new Error("the host of the conversations has ended by itself")
    await life.kill()
    const folder = copied(home.workspace.home, join(place.root, "specimen"))
    return await Specimen.of(folder, join(place.root, "scratch"), ids)
  } finally {
    await life.kill()
    await home.log.close()
    await home.workspace.close(true)
  }
}
