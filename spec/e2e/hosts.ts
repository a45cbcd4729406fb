// Background hosts that commands of a test have started. They outlive the command, so the test ends them, found by the
// home of the test.
import { readdirSync, readFileSync } from "node:fs"
import { eventually } from "./eventually.ts"

/** The host and the shell that would start its successor. */
export function hostsOf(home: string): readonly number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name))
  const isHost = (pid: string) =>
    readIfThere(`/proc/${pid}/cmdline`).includes("turnhouse.mjs\0host") &&
    readIfThere(`/proc/${pid}/environ`).split("\0").includes(`TURNHOUSE_HOME=${home}`)
  return pids.filter(isHost).map(Number)
}

/** Asked a second time, a host does not wait for what it has under way. */
export async function endHosts(home: string): Promise<void> {
  await eventually("the hosts of the test have ended", () => {
    const left = hostsOf(home)
    for (const pid of left) askToLeave(pid)
    return left.length === 0 || undefined
  })
}

function askToLeave(pid: number): void {
  try {
    process.kill(pid, "SIGTERM")
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
