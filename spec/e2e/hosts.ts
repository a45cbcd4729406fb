// Background hosts that commands of a test have started, and other commands that outlive what started them. The test ends
// them, found by its home.
import { readdirSync, readFileSync } from "node:fs"
import { eventually } from "./eventually.ts"

/** The host and the shell that would start its successor. */
export function hostsOf(home: string): readonly number[] {
  return processesWith(home, (commandLine) => commandLine.includes(hostCommand))
}

/** Asked a second time, a host does not wait for what it has under way. */
export async function endHosts(home: string): Promise<void> {
  await eventually("the hosts of the test have ended", () => {
    const left = hostsOf(home)
    for (const pid of left) signal(pid, "SIGTERM")
    return left.length === 0 || undefined
  })
}

/** Its successor is started by the shell. */
export function killHost(home: string): void {
  const pids = processesWith(home, (commandLine) => commandLine.includes(hostCommand) && !commandLine.includes(standby))
  for (const pid of pids) signal(pid, "SIGKILL")
}

/** Without a successor. */
export function killHosts(home: string): void {
  for (const pid of hostsOf(home)) signal(pid, "SIGKILL")
}

/**
 * Hosts and all other commands: one whose terminal is gone, or that has lost its host, would start the next host in a home
 * that is removed. The log writer ends by itself.
 */
export async function endCommands(home: string): Promise<void> {
  await eventually("the commands of the test have ended", () => {
    const others = processesWith(home, isOtherCommand)
    for (const pid of others) signal(pid, "SIGKILL")
    const hosts = hostsOf(home)
    for (const pid of hosts) signal(pid, "SIGTERM")
    return others.length + hosts.length === 0 || undefined
  })
}

const entry = "turnhouse.mjs\0"
const hostCommand = `${entry}host`
const standby = "turnhouse-standby"

function isOtherCommand(commandLine: string): boolean {
  return commandLine.includes(entry) && ![hostCommand, `${entry}log-writer`].some((one) => commandLine.includes(one))
}

function processesWith(home: string, isMeant: (commandLine: string) => boolean): readonly number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name))
  const belongs = (pid: string) =>
    isMeant(readIfThere(`/proc/${pid}/cmdline`)) &&
    readIfThere(`/proc/${pid}/environ`).split("\0").includes(`TURNHOUSE_HOME=${home}`)
  return pids.filter(belongs).map(Number)
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // it has ended in the meantime
  }
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return "" // it has ended in the meantime
  }
}
