// Memory of the background host for open sessions that were never prompted.
import { memoryOf } from "../rpc/process-figures.ts"
import { Client } from "./client.ts"
import type { HostedPlace } from "./hosted-place.ts"

export interface IdleMemory {
  /** Kilobytes of the whole process, with all sessions open. */
  readonly total: number
  readonly perSession: number
}

/** Measures from when `warmUp` sessions are open: by then everything that they share is loaded. */
export async function idleMemory(place: HostedPlace, warmUp: number, sessions: number): Promise<IdleMemory> {
  const client = new Client(place)
  try {
    await createMany(client, warmUp)
    const { pid } = await place.hostOtherThan()
    const before = memoryOf(pid)
    await createMany(client, sessions - warmUp)
    const total = memoryOf(pid)
    return { total, perSession: (total - before) / (sessions - warmUp) }
  } finally {
    await client.close()
  }
}

async function createMany(client: Client, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const created = await client.create("offline/demo:0")
    if (created.kind === "refused") throw new Error(`no session: ${JSON.stringify(created.refusal)}`)
  }
}
