// Where agents of this protocol keep their files: one folder with some files per agent, named after its id. Pure.
import { join } from "node:path"

type Environment = Readonly<Record<string, string | undefined>>

export interface AgentFiles {
  readonly socket: string
  readonly token: string
  readonly metadata: string
  /** Other files that may have its name. */
  readonly others: readonly string[]
}

const SOCKET_SUFFIX = ".sock"
const idPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/

/** Where brainwires' own viewer looks. An empty variable counts as unset; undefined where no folder is known. */
export function brainwiresFolder(env: Environment, platform: string): string | undefined {
  const data = dataFolder(env, platform)
  return data === undefined ? undefined : join(data, "brainwires", "sessions")
}

/** Whether files may be named after it: it stays in its folder and is not taken for the socket of a terminal. */
export function isAgentId(id: string): boolean {
  return idPattern.test(id) && !id.includes("..") && !id.endsWith(".pty")
}

export function agentFiles(folder: string, id: string): AgentFiles {
  const file = (suffix: string) => join(folder, `${id}${suffix}`)
  return {
    socket: file(SOCKET_SUFFIX),
    token: file(".token"),
    metadata: file(".meta.json"),
    others: [".pty.sock", ".log", ".stdout.log", ".stderr.log"].map(file),
  }
}

/** The id of the agent whose socket has this name; undefined for other files. */
export function agentIdOf(fileName: string): string | undefined {
  if (!fileName.endsWith(SOCKET_SUFFIX)) return undefined
  const id = fileName.slice(0, -SOCKET_SUFFIX.length)
  return isAgentId(id) ? id : undefined
}

function dataFolder(env: Environment, platform: string): string | undefined {
  if (platform === "win32") return env["LOCALAPPDATA"] || undefined
  const home = env["HOME"]
  if (platform === "darwin") return home ? join(home, "Library", "Application Support") : undefined
  if (env["XDG_DATA_HOME"]) return env["XDG_DATA_HOME"]
  return home ? join(home, ".local", "share") : undefined
}
