// A home with a background host. Hosts outlive the commands that start them, and a killed one is replaced, so a test
// ends all of them: first with a signal, then by force, until no process belongs to this home.
import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { join } from "node:path"
import type { TestContext } from "vitest"
import { findBackgroundHost } from "../../src/app/host/background-host.ts"
import { openHomeLog } from "../../src/app/host/open-log.ts"
import type { EventLog, LiveHost } from "../../src/log/event-log.ts"
import { eventually } from "../e2e/eventually.ts"
import { hostsOf } from "../e2e/hosts.ts"
import { Place } from "../e2e/place.ts"

const pageSize = 500

export function newHostedPlace(test: Pick<TestContext, "onTestFinished">): HostedPlace {
  const place = new HostedPlace()
  place.open()
  test.onTestFinished(() => place.close())
  return place
}

export class HostedPlace extends Place {
  #directory: EventLog | undefined

  /** The log of this home, for reading. */
  get directory(): EventLog {
    return (this.#directory ??= openHomeLog(this.home))
  }

  /** The stored lines of a session, as `turnhouse log --json` prints them. */
  async stored(sessionId: string): Promise<string> {
    const lines: string[] = []
    for (;;) {
      const page = await this.directory.readLines(sessionId, lines.length, pageSize)
      if (page.kind === "refused") throw new Error(`${sessionId} cannot be read: ${JSON.stringify(page.refusal)}`)
      lines.push(...page.value.map(({ text }) => text))
      if (page.value.length < pageSize) return lines.join("\n")
    }
  }

  host(): Promise<LiveHost | undefined> {
    return findBackgroundHost(this.directory)
  }

  /** The background host as soon as there is one, and another than those before. */
  hostOtherThan(...before: readonly LiveHost[]): Promise<LiveHost> {
    return eventually("there is another background host", async () => {
      const host = await this.host()
      return before.some(({ hostId }) => hostId === host?.hostId) ? undefined : host
    })
  }

  /** Everything that runs for this home or in this folder, tools too. */
  processes(): readonly number[] {
    const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name))
    return all.filter((pid) => this.#isOwnProcess(pid)).map(Number)
  }

  /** Background hosts, with those that are starting, and the shells that are about to start one. */
  hostProcesses(): readonly number[] {
    const pids = hostsOf(this.home)
    const isWaiting = (pid: number) => commandLineOf(pid).includes("turnhouse-standby") && pids.includes(parentOf(pid))
    return pids.filter((pid) => !isWaiting(pid))
  }

  async nothingRuns(): Promise<void> {
    await this.#closeDirectory() // if it was read after a crash, this process is a client of the log writer
    const what = () => `these processes are gone: ${this.processes().map(commandLineOf).join(", ")}`
    await eventually(what, () => this.processes().length === 0 || undefined)
  }

  sockets(): readonly string[] {
    return readdirSync(join(this.home, "hosts")).filter((name) => name.endsWith(".sock"))
  }

  said(): string {
    return readFileSync(join(this.home, "hosts", "host.log"), "utf8")
  }

  override async close(): Promise<void> {
    for (const pid of this.processes()) signal(pid, "SIGCONT")
    if (this.processes().length > 0) await this.run("host", "--stop")
    await eventually("all processes of this place are gone", () => this.#kill())
    await this.#closeDirectory()
    await super.close()
  }

  async #closeDirectory(): Promise<void> {
    await this.#directory?.close()
    this.#directory = undefined
  }

  /** By their home, which is unique, not by name. */
  #kill(): true | undefined {
    const left = this.processes()
    for (const pid of left) signal(pid, "SIGKILL")
    return left.length === 0 || undefined
  }

  #isOwnProcess(pid: string): boolean {
    const environment = look(() => readFileSync(`/proc/${pid}/environ`, "utf8"))
    if (environment.split("\0").includes(`TURNHOUSE_HOME=${this.home}`)) return true
    return look(() => readlinkSync(`/proc/${pid}/cwd`)).startsWith(this.root)
  }
}

function commandLineOf(pid: number): string {
  return look(() => readFileSync(`/proc/${pid}/cmdline`, "utf8")).replaceAll("\0", " ")
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)$/m.exec(look(() => readFileSync(`/proc/${pid}/status`, "utf8")))?.[1])
}

/** False when there is no such process any more; 0 only asks. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}

function look(read: () => string): string {
  try {
    return read()
  } catch {
    return "" // it has ended meanwhile, or belongs to another user
  }
}
