// Finds or starts the background host, which keeps sessions open when no terminal is. If several processes start one at
// the same time, one wins. A host of an older release is asked to hand over first.
import { spawn } from "node:child_process"
import { closeSync, mkdirSync, openSync, readFileSync, statSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { HouseClient } from "../../clients/house/house-client.ts"
import { describeRefusal } from "../../contract/text/describe-refusal.ts"
import type { EventLog, LiveHost } from "../../log/event-log.ts"
import { thisHost } from "../../log/process-identity.ts"
import { AppFault, accepted, exitCodes, messageOf } from "../app-fault.ts"
import type { Connections } from "./connections.ts"
import { isNewer } from "../../program/release.ts"
import { entryFile, version } from "../../program/program-files.ts"

export const backgroundRole = "host"

/** As in bin/turnhouse. */
export const hostFlags = ["--min-semi-space-size=4", "--max-semi-space-size=4"]

const startTimeoutMs = 20_000
const lookEveryMs = 25
/** Size of the log file that is kept when the next host starts. */
const MAX_LOG_BYTES = 1024 * 1024

export async function backgroundHost(home: string, log: EventLog, connections: Connections): Promise<HouseClient> {
  const running = await reachable(log, connections)
  if (running !== undefined && !isNewer(version(), running.host?.release)) return running
  if (running?.host !== undefined) askToLeave(running.host.pid)
  return startAndReach(home, log, connections)
}

export async function findBackgroundHost(log: EventLog): Promise<LiveHost | undefined> {
  const hosts = accepted(await log.hosts("of this node"))
  return hosts.value.find(({ role }) => role === backgroundRole)
}

/** It hands its sessions over and exits. */
export function askToLeave(pid: number): void {
  try {
    process.kill(pid, "SIGTERM")
  } catch (fault) {
    const isGone = fault instanceof Error && "code" in fault && fault.code === "ESRCH"
    if (!isGone) throw new AppFault(`process ${pid} cannot be signalled`)
  }
}

export interface StartedHost {
  /** Set when it has ended. */
  exitCode: number | undefined
}

export function startBackgroundHost(home: string, more: readonly string[] = []): StartedHost {
  const output = openLogFile(home)
  const child = spawn(process.execPath, [...hostFlags, entryFile, "host", ...more], {
    detached: true,
    stdio: ["ignore", output, output],
    cwd: home,
    env: { ...process.env, TURNHOUSE_HOME: home },
  })
  closeSync(output)
  child.unref()
  const started: StartedHost = { exitCode: undefined }
  child.once("exit", (code) => (started.exitCode = code ?? exitCodes.done)) // killed: another one may be started
  child.once("error", () => (started.exitCode = exitCodes.failed))
  return started
}

function openLogFile(home: string): number {
  const { folder, path } = logFile(home)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_BYTES) truncateSync(path)
    return openSync(path, "a", 0o600)
  } catch (fault) {
    const what = messageOf(fault)
    throw new AppFault(`the background host did not start: ${what}`, exitCodes.unreachable)
  }
}

async function reachable(log: EventLog, connections: Connections): Promise<HouseClient | undefined> {
  const host = await findBackgroundHost(log)
  if (host === undefined) return undefined
  const client = await connections.to(host.hostId)
  const refused = connections.refusedBy(host.hostId)
  if (client === undefined && refused !== undefined) throw otherRelease(host, refused)
  return client
}

function otherRelease({ pid }: LiveHost, refused: string): AppFault {
  const what = `the background host (pid ${pid}) is of another release than this Turnhouse ${version()}: ${refused}`
  const advice = `Use its release, end it with 'kill ${pid}', or set TURNHOUSE_HOME to another folder.`
  return new AppFault(`${what}. ${advice}`, exitCodes.unreachable)
}

/** If another process was faster, ours exits at once and the other one is used. */
async function startAndReach(home: string, log: EventLog, connections: Connections): Promise<HouseClient> {
  const from = statSync(logFile(home).path, { throwIfNoEntry: false })?.size ?? 0
  let started: StartedHost | undefined
  for (const deadline = Date.now() + startTimeoutMs; Date.now() < deadline; await sleep(lookEveryMs)) {
    const client = await reachable(log, connections)
    if (client !== undefined && !isNewer(version(), client.host?.release)) return client
    if (started?.exitCode !== undefined && started.exitCode !== exitCodes.done) break
    const isFree = (await findBackgroundHost(log)) === undefined // else it is starting, or frozen until its lease expires
    if (isFree && (started === undefined || started.exitCode !== undefined)) started = startBackgroundHost(home)
  }
  throw await notStarted(home, log, from)
}

/** On a full disk the host cannot write its log file. */
async function notStarted(home: string, log: EventLog, from: number): Promise<AppFault> {
  const message = lastLine(home, from) || (await writeProblem(log))
  return new AppFault(`the background host did not start${message ? `: ${message}` : ""}`, exitCodes.unreachable)
}

/** Why the log cannot be written, found by writing to it. */
async function writeProblem(log: EventLog): Promise<string | undefined> {
  const registered = await log.registerHost(thisHost("probe"))
  if (registered.kind === "refused") return describeRefusal(registered.refusal)
  await log.releaseHost(registered.value)
  return undefined
}

function lastLine(home: string, from: number): string | undefined {
  return readFileSync(logFile(home).path, "utf8").slice(from).trim().split("\n").at(-1)
}

function logFile(home: string): { readonly folder: string; readonly path: string } {
  const folder = join(home, "hosts")
  return { folder, path: join(folder, "host.log") }
}
