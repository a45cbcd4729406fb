// The agents of a folder, its own and those of others. What a dead agent left behind is removed when it is old enough
// that nobody can be about to start it again.
import { lstat, readdir, rm, stat } from "node:fs/promises"
import { livingAgents, maxMetadataBytes } from "../../protocols/ipc/agent-listing.ts"
import type { AgentMetadata } from "../../protocols/ipc/frames.ts"
import { agentFiles } from "../../protocols/ipc/agent-paths.ts"
import { readMetadata } from "../../protocols/ipc/codec.ts"
import { readSmallFile } from "../../transports/small-file.ts"
import { isAbandoned } from "../../transports/unix-socket.ts"

const leftoverAfterMs = 60_000

export async function agentsIn(folder: string, now: number): Promise<readonly AgentMetadata[]> {
  const names = await readdir(folder)
  return livingAgents(
    {
      names,
      metadata: (id) => readSmallFile(agentFiles(folder, id).metadata, maxMetadataBytes),
      isAbandoned: (id) => isGone(folder, id, now),
    },
    { now: Math.floor(now / 1000), cwd: process.cwd() },
  )
}

/** One whose process lives may have lost its socket and is still an agent. What only has such a name is left alone. */
async function isGone(folder: string, id: string, now: number): Promise<boolean> {
  const { socket, metadata } = agentFiles(folder, id)
  const there = await stat(socket).catch(() => undefined) // a link may lead nowhere
  if (there !== undefined && !there.isSocket()) return true
  if (there !== undefined && !(await isAbandoned(socket))) return false
  const text = await readSmallFile(metadata, maxMetadataBytes)
  const pid = text === undefined ? undefined : readMetadata(text)?.pid
  if (typeof pid === "number" && pid > 0 && isAlive(pid)) return false
  await tidy(folder, id, now)
  return true
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (fault) {
    return fault instanceof Error && "code" in fault && fault.code === "EPERM" // it is somebody else's
  }
}

async function tidy(folder: string, id: string, now: number): Promise<void> {
  const { socket, token, metadata, others } = agentFiles(folder, id)
  const times = await Promise.all([socket, token, metadata].map((path) => modifiedAt(path)))
  if (Math.max(...times) > now - leftoverAfterMs) return
  await Promise.all([socket, token, metadata, ...others].map((path) => rm(path, { force: true })))
}

function modifiedAt(path: string): Promise<number> {
  return lstat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0, // it is not there
  )
}
