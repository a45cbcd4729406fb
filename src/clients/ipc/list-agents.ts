// The live agents of a folder. Removes nothing: that is for their hosts.
import { readdir } from "node:fs/promises"
import type { AgentMetadata } from "../../protocols/ipc/frames.ts"
import { listLiveAgents } from "../../protocols/ipc/agent-descriptions.ts"
import { frameLimits } from "../../protocols/ipc/limits.ts"
import { agentFiles } from "../../protocols/ipc/agent-paths.ts"
import { readSmallFile } from "../../transports/small-file.ts"
import { openSocket } from "../../transports/socket-address.ts"
import { addressOf } from "./connection/handshake.ts"
import type { Place } from "./options.ts"

const PROBE_MS = 2000

/** Oldest first; empty when the folder does not exist. */
export async function listAgents(folder: string): Promise<readonly AgentMetadata[]> {
  const names = await readdir(folder).catch(() => [])
  const files = {
    names,
    metadata: (id: string) => readSmallFile(agentFiles(folder, id).metadata, frameLimits.metadataBytes),
    isAbandoned: async (id: string) => !(await isAlive({ folder, id })),
  }
  return listLiveAgents(files, { now: Math.floor(Date.now() / 1000), cwd: process.cwd() })
}

/** Whether the agent accepts connections. */
export async function isAlive(place: Place): Promise<boolean> {
  try {
    const socket = await openSocket(addressOf(place).socket, AbortSignal.timeout(PROBE_MS))
    socket.destroy()
    return true
  } catch {
    return false
  }
}
