// One life of a background host in a home of this proof: it is started, a client of the native API connects.
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { HouseClient } from "../../../clients/house/house-client.ts"
import { isAlive, placeOf, readLink } from "../../../log-writer/place.ts"
import { killLogWriter } from "../crash/kill-log-writer.ts"
import { proofDoor, type LaneHome } from "../crash/lane-kind.ts"
import { HostProcess } from "../host-process.ts"

const LOOK_MS = 10
/** A host must start, and a killed process must be gone, within this time, also on a busy machine. */
export const PATIENCE_MS = 60_000

export interface Surroundings {
  /** Words before those of the host: the program under which it runs. */
  readonly under: readonly string[]
  /** The folder of the home, as this process reaches it. */
  readonly home: string
}

export class HostLife {
  readonly process: HostProcess
  readonly #home: string
  #client: HouseClient | undefined

  constructor({ workspace }: LaneHome, { under, home }: Surroundings) {
    this.#home = home
    this.process = HostProcess.start(workspace, ["host", "--deaths", "5"], { under })
  }

  /** Undefined if the host has ended, or the signal was given. */
  async connect(signal: AbortSignal): Promise<HouseClient | undefined> {
    const deadline = performance.now() + PATIENCE_MS
    while (!signal.aborted && this.process.exit === undefined) {
      this.#client = await this.#answering()
      if (this.#client !== undefined) return this.#client
      if (performance.now() > deadline) throw new Error(`the host does not answer after ${PATIENCE_MS / 1000} s`)
      await sleep(LOOK_MS)
    }
    return undefined
  }

  /** Kills the host and the log writer, and reads what they have sent. */
  async kill(): Promise<void> {
    this.process.signal("SIGKILL")
    await this.process.exited
    killLogWriter(this.#home)
    await this.#client?.closed
    await writerIsGone(this.#home)
  }

  /** Sockets of hosts that were killed stay in the folder. */
  async #answering(): Promise<HouseClient | undefined> {
    const folder = join(this.#home, "hosts")
    const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".sock")) : []
    for (const name of names) {
      const client = await connectTo(join(folder, name))
      if (client !== undefined) return client
    }
    return undefined
  }
}

async function writerIsGone(home: string): Promise<void> {
  const name = readLink(placeOf(join(home, "turnhouse.db")).current)
  if (name === undefined) return
  for (const deadline = performance.now() + PATIENCE_MS; isAlive(name); await sleep(LOOK_MS))
    if (performance.now() > deadline) throw new Error("the log writer does not end after kill -9")
}

async function connectTo(path: string): Promise<HouseClient | undefined> {
  try {
    return await HouseClient.connect(path, { door: proofDoor })
  } catch {
    return undefined // it does not listen yet, or was killed
  }
}
