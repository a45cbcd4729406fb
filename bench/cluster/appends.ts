// Durable appends of 100 sessions through the log, beside 100 clients of pgbench that insert as many bytes in a transaction, in
// turns on the same server.
import { execFile, spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { lineWith } from "../doors/world.ts"
import { RunningProcess } from "../doors/running-process.ts"
import type { Part, PartContext } from "./part.ts"
import { cpuOfServers } from "./servers.ts"
import { eventText } from "./append-event.ts"

const SESSIONS = 100
const SECONDS = 3
const ROUNDS = 4
/** Of pgbench, the best of which counts. */
const THREADS = [1, 2, 4]

export const appends: Part = {
  title: "Durable appends",
  legend: `Ours: ${SESSIONS} sessions of one process, one event at a time each. Bare: pgbench, ${SESSIONS} clients, one insert of the same text in a transaction.`,
  async run(context: PartContext): Promise<void> {
    const { report, progress, isQuick } = context
    const seconds = isQuick ? 1 : SECONDS
    const bench = new Pgbench(context)
    const threads = isQuick ? 1 : await bench.bestThreads(progress)
    for (let round = 0; round < (isQuick ? 1 : ROUNDS); round++) {
      progress(`round ${round + 1}, pgbench with ${threads} threads`)
      await measured(context, "bare", () => bench.run(threads, isQuick ? ["-t", "20"] : ["-T", String(SECONDS)]))
      progress(`round ${round + 1}, the log`)
      await measured(context, "ours", () => throughLog(context, seconds))
    }
    report.row("appends", "log", "durable appends", "appends/s", { of: "ratio", atLeast: 0.5 })
    report.row("appends", "log", "CPU of PostgreSQL for 1,000", "ms")
  },
}

async function measured(
  { servers, report }: PartContext,
  kind: "ours" | "bare",
  run: () => Promise<{ readonly rate: number; readonly count: number }>,
): Promise<void> {
  const before = cpuOfServers(servers).postgres
  const { rate, count } = await run()
  report.add("log", "durable appends", kind, rate)
  report.add("log", "CPU of PostgreSQL for 1,000", kind, ((cpuOfServers(servers).postgres - before) / count) * 1000)
}

async function throughLog({ world, servers }: PartContext, seconds: number) {
  const script = fileURLToPath(new URL("append-process.ts", import.meta.url))
  const args = [script, servers.postgres.createDatabase(), String(SESSIONS), String(seconds)]
  const child = spawn(process.execPath, args, { env: world.env(""), stdio: ["pipe", "pipe", "pipe"] })
  const stop = world.watch(child, new RunningProcess(child))
  const line = await Promise.race([lineWith(child, "appends"), world.failed])
  await stop()
  const [, count, rate] = /^appends (\d+) rate ([\d.]+)$/.exec(line) ?? []
  return { count: Number(count), rate: Number(rate) }
}

class Pgbench {
  readonly #program: string
  readonly #address: readonly string[]
  readonly #script: string

  constructor({ world, servers: { postgres } }: PartContext) {
    this.#program = join(postgres.programs, "pgbench")
    const database = new URL(postgres.createDatabase()).pathname.slice(1)
    this.#address = ["-h", "127.0.0.1", "-p", String(postgres.port), "-U", "turnhouse", database]
    this.#script = world.path("insert.sql")
    writeFileSync(this.#script, `insert into lines (text) values ('${eventText.replaceAll("'", "''")}');\n`)
  }

  async bestThreads(progress: (text: string) => void): Promise<number> {
    const rates: number[] = []
    for (const threads of THREADS) {
      progress(`pgbench with ${threads} threads`)
      rates.push((await this.run(threads, ["-T", "2"])).rate)
    }
    return THREADS[rates.indexOf(Math.max(...rates))] ?? 1
  }

  async run(threads: number, length: readonly string[]): Promise<{ readonly rate: number; readonly count: number }> {
    await this.#psql("create table if not exists lines (id bigint generated always as identity primary key, text text)")
    const clients = ["-n", "-M", "prepared", "-c", String(SESSIONS), "-j", String(threads), ...length]
    const { stdout } = await promisify(execFile)(this.#program, [...clients, "-f", this.#script, ...this.#address])
    const rate = Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1])
    const count = Number(/actually processed: (\d+)/.exec(stdout)?.[1])
    if (!(rate > 0 && count > 0)) throw new Error(`pgbench has measured nothing: ${stdout}`)
    return { rate, count }
  }

  async #psql(command: string): Promise<void> {
    const program = join(this.#program, "../psql")
    await promisify(execFile)(program, [...this.#address, "-q", "-c", command])
  }
}
