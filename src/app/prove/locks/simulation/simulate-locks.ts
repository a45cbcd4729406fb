// Histories of simulated processes, several after each other on one lock table.
import { join } from "node:path"
import { renewEveryMs, staleAfterMs } from "../../../../features/locks/lock-table.ts"
import type { Report } from "../../violation.ts"
import { checkLocks } from "../check/check-locks.ts"
import { LockPlay, type PlayFacts } from "../play/lock-play.ts"
import { SimulatedStage } from "./simulated-stage.ts"

/** After this every lock of a dead process must be free: its own end, and that of its processes. */
const SETTLE_MS = staleAfterMs + renewEveryMs

export class LockSimulation {
  readonly #file: string
  /** The one before stays open meanwhile: the last process that closes a file writes everything to disk. */
  #last: SimulatedStage | undefined
  #pids = 0
  #plays = 0

  constructor(folder: string) {
    this.#file = join(folder, "locks.db")
  }

  async close(): Promise<void> {
    await this.#last?.close()
  }

  async playOne(below: (below: number) => number, report: Report): Promise<PlayFacts> {
    const newPid = () => (this.#pids += 1)
    const stage = new SimulatedStage({ file: this.#file, below, newPid })
    const play = new LockPlay({ stage, below, place: `/${(this.#plays += 1)}` })
    try {
      await stage.time.run(play.run())
      const effects = await stage.effects()
      checkLocks({ recorder: play.recorder, hasCertainFiles: stage.hasCertainFiles, effects }, report)
      await stage.time.run(checkFree(stage, report))
    } finally {
      await this.#last?.close()
      this.#last = stage
    }
    return play.facts
  }
}

async function checkFree(stage: SimulatedStage, report: Report): Promise<void> {
  const process = await stage.start()
  await stage.pause(SETTLE_MS)
  for (let looks = 0; looks < 20; looks++) {
    const answer = await process.perform({ type: "list" })
    if (answer?.type === "list" && answer.held.length + answer.waiting.length === 0) return
    await stage.pause(SETTLE_MS)
  }
  report("broken", "lock.listed", "a dead process still has a lock or waits for one")
}
