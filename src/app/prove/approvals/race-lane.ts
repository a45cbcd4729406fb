// One home in which clients race to answer approvals while its host is killed again and again.
import type { DoorMemory } from "../crash/doors/door-client.ts"
import { checkEffects, checkRepeats, readEffects } from "../crash/effects.ts"
import { eventsOf, type History } from "../crash/check-history.ts"
import { proofDoor } from "../crash/lane-kind.ts"
import type { SessionRecord } from "../crash/session-record.ts"
import { Answers } from "./answers.ts"
import { RaceLife, type RaceOptions } from "./race-life.ts"

export interface RaceLaneOptions extends Omit<RaceOptions, "memory" | "answers" | "record" | "races"> {
  readonly memory: () => DoorMemory
}

/** Of doors in the log, as the report names them. */
const names: Readonly<Record<string, string>> = {
  [proofDoor]: "native",
  ipc: "session-socket",
  rpc: "stdio",
  ws: "websocket",
  approve: "command",
}
/** Lives of the host in one session. */
const LIVES = 4
const MAX_RACES = 24

/** Until there were enough answers. */
export async function runRaces({ memory: newMemory, ...options }: RaceLaneOptions): Promise<void> {
  const { home, below, tally, report, signal } = options
  const earlier: History[] = []
  while (!tally.isComplete && !signal.aborted) {
    const memory = newMemory()
    const answers = new Answers(report)
    let record: SessionRecord | undefined
    for (let number = 0; number < LIVES && !signal.aborted && !tally.isComplete; number++) {
      const life = new RaceLife({ ...options, memory, answers, record, races: 1 + below(MAX_RACES) })
      await life.ended
      record = life.record
      await record?.compare(home.log)
      answers.check(record?.stored ?? [])
      checkRepeats(record?.stored ?? [], readEffects(home.workspace), report)
    }
    if (record === undefined || signal.aborted) continue
    for (const { by } of eventsOf(record.stored, "approval.decided"))
      if (by !== undefined) tally.decide(names[by.door] ?? by.door)
    earlier.push(record.stored)
    checkEffects(earlier, readEffects(home.workspace), report)
  }
}
