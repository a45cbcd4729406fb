// `turnhouse host`: the background host, without a terminal and without network. It keeps sessions open, adopts open turns
// of dead hosts, and exits when it is not needed. Other commands start it.
import { setTimeout as sleep } from "node:timers/promises"
import { limits } from "../../../contract/limits.ts"
import { SessionAdoption } from "../../../host/session-adoption.ts"
import { askToLeave, backgroundHost, backgroundRole, findBackgroundHost } from "../../../app/host/background-host.ts"
import { AppFault, usageFault, exitCodes } from "../../../app/app-fault.ts"
import { limitHeapGrowth } from "../../../app/host/heap-growth.ts"
import type { Args } from "../../command.ts"
import { openLog, startHost, type RunningHost } from "../../../app/compose.ts"
import { loadContextLeniently, loadContext, type AppContext } from "../../../app/context.ts"
import { Connections } from "../../../app/host/connections.ts"
import { openLocalDoors, type LocalDoors } from "../../../app/host/local-doors.ts"
import { Standby } from "../../../app/host/standby.ts"
import { printNotice } from "../../../app/terminal.ts"

const steadyAfterMs = 60_000
const stopPatienceMs = limits.leaveMs + 10_000
const lookEveryMs = 50

export async function run(args: Args): Promise<number> {
  if (args.flag("stop") && args.flag("replace")) throw usageFault("--stop and --replace cannot be combined")
  if (args.flag("stop")) return stop(await loadContextLeniently())
  const context = await loadContext()
  return args.flag("replace") ? replace(context) : serve(context, args)
}

async function serve(context: AppContext, args: Args): Promise<number> {
  const running = await startUnlessThere(context)
  if (running === undefined) return exitCodes.done
  limitHeapGrowth("host")
  const standby = new Standby(deathsOf(args))
  const doors = await openLocalDoors(context, running)
  const adoption = new SessionAdoption(running.host, { now: Date.now, warn: printNotice, ...timesOf(args) })
  adoption.start()
  const steady = setTimeout(() => standby.steady(), steadyAfterMs)
  const end = await Promise.race([
    signalled(),
    adoption.unneeded.then(() => "unneeded" as const),
    running.host.lost.then(() => "lost" as const),
  ])
  clearTimeout(steady)
  await standby.dismiss()
  if (end === "lost") return lost()
  await leave(running, doors, adoption)
  return exitCodes.done
}

/** Another process may be the background host already, which is fine; if it exits meanwhile, this one tries again. */
async function startUnlessThere(context: AppContext): Promise<RunningHost | undefined> {
  for (;;) {
    try {
      return await startHost(context, { role: backgroundRole, approvalWaitMs: "by preset", stays: true })
    } catch (fault) {
      if (!(fault instanceof AppFault) || fault.refusal?.code !== "host.exists") throw fault
    }
    const log = openLog(context.home)
    const other = await findBackgroundHost(log)
    await log.close()
    if (other !== undefined) return undefined
  }
}

/** Gives up its role first, so that the next host can take over the sessions. */
async function leave(running: RunningHost, doors: LocalDoors, adoption: SessionAdoption): Promise<void> {
  const { host } = running
  await host.log.changeRole(host.lease, `${backgroundRole}, leaving`)
  const impatient = signalled().then(() => process.exit(exitCodes.failed)) // second signal: the reaper cleans up
  await Promise.race([impatient, adoption.stop().then(() => host.leave(limits.leaveMs))])
  await doors.close()
  await running.close()
}

/** Its sessions have other owners: nothing may be written any more. */
function lost(): number {
  printNotice("turnhouse: another host has taken over the sessions; this one exits")
  process.exit(exitCodes.failed)
}

async function stop({ home }: AppContext): Promise<number> {
  const log = openLog(home)
  try {
    const host = await findBackgroundHost(log)
    if (host === undefined) {
      printNotice("no background host is running")
      return exitCodes.done
    }
    askToLeave(host.pid)
    for (const deadline = Date.now() + stopPatienceMs; Date.now() < deadline; await sleep(lookEveryMs)) {
      const hosts = await log.hosts()
      if (hosts.kind === "ok" && !hosts.value.some(({ hostId }) => hostId === host.hostId)) return exitCodes.done
    }
    throw new AppFault(`the background host (pid ${host.pid}) does not exit`)
  } finally {
    await log.close()
  }
}

async function replace({ home }: AppContext): Promise<number> {
  const log = openLog(home)
  const connections = new Connections(home, "host")
  try {
    const old = await findBackgroundHost(log)
    if (old !== undefined) askToLeave(old.pid)
    for (const deadline = Date.now() + stopPatienceMs; Date.now() < deadline; await sleep(lookEveryMs)) {
      if ((await findBackgroundHost(log))?.hostId !== old?.hostId || old === undefined) break
    }
    const next = await backgroundHost(home, log, connections)
    process.stdout.write(`${next.host?.host ?? ""}\n`)
    return exitCodes.done
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

function deathsOf(args: Args): number {
  const text = args.text("deaths") ?? "0"
  if (!/^\d{1,3}$/.test(text)) throw usageFault("--deaths: use a number")
  return Number(text)
}

function timesOf(args: Args): { readonly idleSessionMs?: number; readonly idleHostMs?: number } {
  const session = args.seconds("close-after")
  const host = args.seconds("leave-after")
  return {
    ...(session === undefined ? {} : { idleSessionMs: session * 1000 }),
    ...(host === undefined ? {} : { idleHostMs: host * 1000 }),
  }
}
