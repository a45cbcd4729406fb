// Runs the background host: keeps sessions open, adopts open turns of dead hosts, and exits when it is not needed. Also
// stops and replaces the one that runs.
import { setTimeout as sleep } from "node:timers/promises"
import { limits } from "../../contract/limits.ts"
import { SessionAdoption, type SessionAdoptionOptions } from "../../host/session-adoption.ts"
import { entryFile } from "../../program/program-files.ts"
import { AppFault, exitCodes } from "../app-fault.ts"
import { startHost, type RunningHost } from "../compose.ts"
import type { AppContext } from "../context.ts"
import { KnowledgeSchedule } from "../knowledge/schedule.ts"
import { printNotice } from "../terminal.ts"
import {
  askToLeave,
  backgroundHost,
  backgroundRole,
  findBackgroundHost,
  hostFlags,
  startBackgroundHost,
} from "./background-host.ts"
import { Connections } from "./connections.ts"
import { prepareConfigured } from "./first-turn.ts"
import { limitHeapGrowth } from "./process-limits.ts"
import { openLocalDoors, type LocalDoors } from "./local-doors.ts"
import { openLog } from "./open-log.ts"
import { programReplaced } from "./program-replaced.ts"
import { spawn, type ChildProcess } from "node:child_process"

const steadyAfterMs = 60_000
const stopPatienceMs = limits.leaveMs + 10_000
const lookEveryMs = 50
const rejoinMs = 1000

type IdleTimes = Pick<SessionAdoptionOptions, "idleSessionMs" | "idleHostMs">

/** `deaths`: hosts that died in a row before this one. */
export async function runBackgroundHost(context: AppContext, deaths: number, times: IdleTimes): Promise<number> {
  const replaced = programReplaced()
  const running = await startUnlessThere(context)
  if (running === undefined) return exitCodes.done
  limitHeapGrowth("host")
  const standby = new Standby(deaths)
  const doors = await openLocalDoors(context, running)
  const adoption = new SessionAdoption(running.host, { now: Date.now, warn: printNotice, ...times })
  adoption.start()
  const schedule = KnowledgeSchedule.start(context)
  void prepareConfigured(running.models, context.config)
  const steady = setTimeout(() => standby.steady(), steadyAfterMs)
  const end = await Promise.race([
    signalled(),
    adoption.unneeded.then(() => "unneeded" as const),
    running.host.lost.then((loss) => (loss === "cut off" ? loss : "lost")),
    replaced,
  ])
  clearTimeout(steady)
  await standby.dismiss()
  await schedule?.close()
  if (end === "lost") return lost()
  if (end === "cut off") return await rejoin(context)
  await leave(running, doors, adoption, () => {
    if (end === "replaced") startBackgroundHost(context.home)
  })
  return exitCodes.done
}

/** Another process may be the background host already, which is fine; if it exits meanwhile, this one tries again. */
async function startUnlessThere(context: AppContext): Promise<RunningHost | undefined> {
  for (;;) {
    try {
      return await startHost(context, { role: backgroundRole, approvalWaitMs: "by preset", isPersistent: true })
    } catch (fault) {
      if (!(fault instanceof AppFault) || fault.refusal?.code !== "host.exists") throw fault
    }
    const log = await openLog(context)
    const other = await findBackgroundHost(log)
    await log.close()
    if (other !== undefined) return undefined
  }
}

/** Gives up its role first, so that the next host can take over the sessions. */
async function leave(
  running: RunningHost,
  doors: LocalDoors,
  adoption: SessionAdoption,
  startNext: () => void,
): Promise<void> {
  const { host } = running
  await host.log.changeRole(host.lease, `${backgroundRole}, leaving`)
  startNext()
  const secondSignal = signalled().then(() => process.exit(exitCodes.failed)) // second signal: the reaper cleans up
  await Promise.race([secondSignal, adoption.stop().then(() => host.leave(limits.leaveMs))])
  await doors.close()
  await running.close()
}

/** Its sessions have other owners: nothing may be written any more. */
function lost(): number {
  printNotice("turnhouse: another host has taken over the sessions; this one exits")
  process.exit(exitCodes.failed)
}

/** A node that could not reach its store: the next host starts as soon as it can. */
async function rejoin(context: AppContext): Promise<never> {
  printNotice("turnhouse: the store cannot be reached: this host has stopped its sessions and waits")
  const log = await openLog(context)
  while ((await log.hosts()).kind === "refused") await sleep(rejoinMs)
  await log.close()
  startBackgroundHost(context.home)
  process.exit(exitCodes.failed)
}

/** False if none was running. */
export async function stopBackgroundHost(context: AppContext): Promise<boolean> {
  const log = await openLog(context)
  try {
    const host = await findBackgroundHost(log)
    if (host === undefined) return false
    askToLeave(host.pid)
    for (const deadline = Date.now() + stopPatienceMs; Date.now() < deadline; await sleep(lookEveryMs)) {
      const hosts = await log.hosts("of this node")
      if (hosts.kind === "ok" && !hosts.value.some(({ hostId }) => hostId === host.hostId)) return true
    }
    throw new AppFault(`the background host (pid ${host.pid}) does not exit`)
  } finally {
    await log.close()
  }
}

/** Returns the id of the next host. */
export async function replaceBackgroundHost(context: AppContext): Promise<string> {
  const { home } = context
  const log = await openLog(context)
  const connections = new Connections(home, "host")
  try {
    const old = await findBackgroundHost(log)
    if (old !== undefined) askToLeave(old.pid)
    for (const deadline = Date.now() + stopPatienceMs; Date.now() < deadline; await sleep(lookEveryMs)) {
      if ((await findBackgroundHost(log))?.hostId !== old?.hostId || old === undefined) break
    }
    return (await backgroundHost(home, log, connections)).host?.host ?? ""
  } finally {
    connections.close()
    await log.close()
  }
}

/** Ignores SIGHUP: closing a terminal does not stop the background host. */
function signalled(): Promise<"signal"> {
  process.on("SIGHUP", () => {})
  return new Promise((resolve) => {
    for (const name of ["SIGTERM", "SIGINT"] as const) process.once(name, () => resolve("signal"))
  })
}

/** Hosts that died in a row before they were steady; another one would die too. */
const MAX_DEATHS = 5

/** `$deaths` counts the hosts that were killed before they were steady. */
const script = `
deaths=$1; shift
while read -r word; do
  case $word in
    bye) exit 0 ;;
    steady) deaths=0 ;;
  esac
done
exec "$@" --deaths $((deaths + 1))
`

class Standby {
  readonly #shell: ChildProcess | undefined

  constructor(deaths: number) {
    if (deaths >= MAX_DEATHS) return
    const host = [process.execPath, ...hostFlags, entryFile, "host"]
    const args = ["-c", script, "turnhouse-standby", String(deaths), ...host]
    this.#shell = spawn("sh", args, { detached: true, stdio: ["pipe", "inherit", "inherit"] })
    this.#shell.unref()
    this.#shell.on("error", () => {}) // without a shell there is no successor; the next command starts one
    this.#shell.stdin?.on("error", () => {})
  }

  /** Resets the count of deaths. */
  steady(): void {
    this.#shell?.stdin?.write("steady\n")
  }

  /** Resolves when the shell has received it; a host that exits earlier counts as killed. */
  dismiss(): Promise<void> {
    const stdin = this.#shell?.stdin
    if (stdin === undefined || stdin === null || stdin.destroyed) return Promise.resolve()
    const { promise, resolve } = Promise.withResolvers<void>()
    stdin.once("close", resolve)
    stdin.end("bye\n", resolve)
    return promise
  }
}
