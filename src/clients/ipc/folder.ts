// The agents of a folder, as far as they live. Nothing is removed here: that is for their hosts.
import { readdir } from "node:fs/promises"
import type { AgentMetadata } from "../../protocols/ipc/frames.ts"
import { livingAgents, maxMetadataBytes } from "../../protocols/ipc/agent-listing.ts"
import { agentFiles } from "../../protocols/ipc/agent-paths.ts"
import { readSmallFile } from "../../transports/small-file.ts"
import { openSocket } from "../../transports/socket-address.ts"
import { doorOf } from "./greet.ts"
import type { Place } from "./options.ts"

const aliveMs = 2000

/** The oldest first; none when there is no such folder. */
export async function listAgents(folder: string): Promise<readonly AgentMetadata[]> {
  const names = await readdir(folder).catch(() => [])
  const look = {
    names,
    metadata: (id: string) => readSmallFile(agentFiles(folder, id).metadata, maxMetadataBytes),
    isAbandoned: async (id: string) => !(await isAlive({ folder, id })),
  }
  return livingAgents(look, { now: Math.floor(Date.now() / 1000), cwd: process.cwd() })
}

/** Whether it takes connections. */
export async function isAlive(place: Place): Promise<boolean> {
  try {
    const socket = await openSocket(doorOf(place).socket, AbortSignal.timeout(aliveMs))
    socket.destroy()
    return true
  } catch {
    return false // whatever is in the way: nobody can talk to it
  }
}
