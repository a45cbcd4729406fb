// Where agents of this protocol keep their files: one folder, and for each agent some files that begin with its id.
// Pure: names and rules, nothing is looked at.
import { join } from "node:path"

type Environment = Readonly<Record<string, string | undefined>>

export interface AgentFiles {
  readonly socket: string
  readonly token: string
  readonly metadata: string
  /** What else may lie there under its name. */
  readonly others: readonly string[]
}

const socketEnd = ".sock"
const terminalEnd = ".pty"
const idShape = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/

/** The folder where brainwires' own viewer looks. An empty variable counts as unset; undefined when nothing is known. */
export function brainwiresFolder(env: Environment, platform: NodeJS.Platform): string | undefined {
  const data = dataFolder(env, platform)
  return data === undefined ? undefined : join(data, "brainwires", "sessions")
}

/** Whether files may be named after it: it stays in its folder, and is not taken for another kind of file. */
export function isAgentId(id: string): boolean {
  return idShape.test(id) && !id.includes("..") && !id.endsWith(terminalEnd)
}

export function agentFiles(folder: string, id: string): AgentFiles {
  const file = (end: string) => join(folder, `${id}${end}`)
  return {
    socket: file(socketEnd),
    token: file(".token"),
    metadata: file(".meta.json"),
    others: [".pty.sock", ".log", ".stdout.log", ".stderr.log"].map(file),
  }
}

/** Whose socket it is; undefined when the name is that of something else. */
export function agentIdOf(fileName: string): string | undefined {
  if (!fileName.endsWith(socketEnd)) return undefined
  const id = fileName.slice(0, -socketEnd.length)
  return isAgentId(id) ? id : undefined
}

function dataFolder(env: Environment, platform: NodeJS.Platform): string | undefined {
  if (platform === "win32") return env["LOCALAPPDATA"] || undefined
  const home = env["HOME"]
  if (platform === "darwin") return home ? join(home, "Library", "Application Support") : undefined
  if (env["XDG_DATA_HOME"]) return env["XDG_DATA_HOME"]
  return home ? join(home, ".local", "share") : undefined
}
