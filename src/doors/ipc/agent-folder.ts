// The agents of a folder, of Turnhouse and of other programs. Files of a dead agent are removed once they are so old that
// it cannot be about to start again.
import { lstat, readdir, rm, stat } from "node:fs/promises"
import { listLiveAgents } from "../../protocols/ipc/agent-descriptions.ts"
import { agentFiles } from "../../protocols/ipc/agent-paths.ts"
import { decodeMetadata } from "../../protocols/ipc/codec.ts"
import type { AgentMetadata } from "../../protocols/ipc/frames.ts"
import { frameLimits } from "../../protocols/ipc/limits.ts"
import { readSmallFile } from "../../transports/small-file.ts"
import { isAbandoned } from "../../transports/unix-socket.ts"

const REMOVE_AFTER_MS = 60_000

export async function agentsIn(folder: string, now: number): Promise<readonly AgentMetadata[]> {
  return listLiveAgents(
    {
      names: await readdir(folder),
      metadata: (id) => readSmallFile(agentFiles(folder, id).metadata, frameLimits.metadataBytes),
      isAbandoned: (id) => isDead(folder, id, now),
    },
    { now: Math.floor(now / 1000), cwd: process.cwd() },
  )
}

/** An agent whose process lives may have lost its socket. A file that is not a socket is left alone. */
async function isDead(folder: string, id: string, now: number): Promise<boolean> {
  const { socket, metadata } = agentFiles(folder, id)
  const found = await stat(socket).catch(() => undefined) // a dangling link
  if (found !== undefined && !found.isSocket()) return true
  if (found !== undefined && !(await isAbandoned(socket))) return false
  const text = await readSmallFile(metadata, frameLimits.metadataBytes)
  const pid = text === undefined ? undefined : decodeMetadata(text)?.pid
  if (typeof pid === "number" && pid > 0 && isAlive(pid)) return false
  await removeFiles(folder, id, now)
  return true
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (fault) {
    return fault instanceof Error && "code" in fault && fault.code === "EPERM" // a process of another user
  }
}

async function removeFiles(folder: string, id: string, now: number): Promise<void> {
  const { socket, token, metadata, others } = agentFiles(folder, id)
  const times = await Promise.all([socket, token, metadata].map(modifiedAt))
  if (Math.max(...times) > now - REMOVE_AFTER_MS) return
  await Promise.all([socket, token, metadata, ...others].map((path) => rm(path, { force: true })))
}

/** 0 for a file that does not exist. */
async function modifiedAt(path: string): Promise<number> {
  return (await lstat(path).catch(() => undefined))?.mtimeMs ?? 0
}
