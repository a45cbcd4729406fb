// Starts the writer process of a home. If many processes need one at once, one of them starts it and the others wait:
// starting a hundred would keep a small machine busy for seconds. This only saves work; if two writers start at once,
// `claim` (place.ts) decides.
import { spawn, type ChildProcess } from "node:child_process"
import { chmodSync, mkdirSync } from "node:fs"
import { dirname } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { LogUnavailable } from "../log/sqlite/faults.ts"
import { entryFile } from "../program/program-files.ts"
import { hasCode, isAlive, isFrozen, makeLink, nameOf, readLink, removeLink, type WriterPlace } from "./place.ts"

/** One thread, small heap: the writer keeps only the requests of one commit in memory. */
const flags = [
  "--v8-pool-size=0",
  "--min-semi-space-size=2",
  "--max-semi-space-size=2",
  "--disable-warning=ExperimentalWarning",
]
const lookEveryMs = 15
/** How long a starting child may be silent before it is checked. */
const silenceMs = 250

export const writerCommand = "log-writer"

const starting = new Map<string, Promise<void>>()

/** Resolves when this or another process has started a writer. The caller must then connect, which may fail. */
export function startWriter(place: WriterPlace): Promise<void> {
  const running = starting.get(place.folder) ?? start(place).finally(() => starting.delete(place.folder))
  starting.set(place.folder, running)
  return running
}

async function start(place: WriterPlace): Promise<void> {
  const self = nameOf(process.pid) ?? String(process.pid)
  makeFolder(place)
  if (!makeLink(self, place.starting)) return waitForOther(place)
  try {
    await ready(spawnWriter(place))
  } finally {
    removeLink(place.starting, self)
  }
}

/** Does not wait for a process that died or was frozen while it started a writer. */
async function waitForOther(place: WriterPlace): Promise<void> {
  const other = readLink(place.starting)
  if (other !== undefined && (!isAlive(other) || isFrozen(other))) return removeLink(place.starting, other)
  await pause(lookEveryMs)
}

export function makeFolder({ folder }: WriterPlace): void {
  try {
    mkdirSync(folder)
    chmodSync(folder, 0o700) // whatever the umask
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error
  }
}

/**
 * Its own session, no inherited pipe, minimal environment: no parent must wait for the end of a pipe, it must not end
 * with the process that started it, and it must not see keys.
 */
function spawnWriter({ database }: WriterPlace): ChildProcess {
  const { PATH = "", HOME = "", NODE_COMPILE_CACHE } = process.env
  const cache = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }
  return spawn(process.execPath, [...flags, entryFile, writerCommand, database], {
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
    cwd: "/",
    env: { PATH, HOME, TURNHOUSE_HOME: dirname(database), UV_THREADPOOL_SIZE: "1", ...cache },
  })
}

/** The writer prints one line: that it serves, or why it cannot. The caller retries if it was killed before that. */
async function ready(child: ChildProcess): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<string>()
  let output = ""
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    output += text
    if (output.endsWith("\n")) resolve(output.trim())
  })
  child.on("error", (error) => resolve(`the log writer cannot be started: ${error.message}`))
  child.on("close", (code) => resolve(code === null ? "ready" : `the log writer ended at once with exit code ${code}`))
  const watch = setInterval(() => killIfFrozen(child), silenceMs)
  const line = await promise.finally(() => clearInterval(watch))
  child.stdout?.destroy()
  child.unref()
  if (line !== "ready") throw new LogUnavailable(line)
}

function killIfFrozen(child: ChildProcess): void {
  const name = child.pid === undefined ? undefined : nameOf(child.pid)
  if (name !== undefined && isFrozen(name)) child.kill("SIGKILL")
}
