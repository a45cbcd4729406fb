// Three nodes as processes on real servers. All data is in one temporary folder.
import { spawn, type ChildProcess } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { startNats, type NatsServer } from "../../src/testing/servers/nats-server.ts"
import { startPostgres, type PostgresServer } from "../../src/testing/servers/postgres-server.ts"

export interface LocalNode {
  readonly name: string
  readonly home: string
  readonly url: string
  readonly pid: number
}

const program = fileURLToPath(new URL("../../bin/turnhouse", import.meta.url))
const names = ["a", "b", "c"]
const words =
  "a session belongs to no node: any of them can show it, and the next one finishes what the last one began ".repeat(3)

export class LocalCluster {
  readonly #report: (line: string) => void
  readonly #folder = mkdtempSync(join(tmpdir(), "turnhouse-cluster-"))
  readonly #secret = randomBytes(32).toString("hex")
  readonly #processes = new Map<string, ChildProcess>()
  #nodes: readonly LocalNode[] = []
  #postgres: PostgresServer | undefined
  #nats: NatsServer | undefined

  constructor(report: (line: string) => void) {
    this.#report = report
  }

  get nodes(): readonly LocalNode[] {
    return this.#nodes
  }

  async start(): Promise<void> {
    this.#report("starting PostgreSQL and NATS …")
    this.#postgres = await startPostgres()
    this.#nats = await startNats()
    this.#report("starting three nodes …")
    const [database, bus] = [this.#postgres.createDatabase(), this.#nats.url]
    this.#nodes = await Promise.all(names.map((name) => this.#startNode(name, database, bus)))
  }

  /** Without a chance to hand anything over. */
  kill(name: string): void {
    this.#processes.get(name)?.kill("SIGKILL")
  }

  async close(): Promise<void> {
    // Commands that were tried by hand may have started them.
    await Promise.all(this.#nodes.map(({ home }) => stopBackgroundHost(home)))
    await Promise.all([...this.#processes.values()].map(stop))
    await this.#nats?.stop()
    await this.#postgres?.remove()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #startNode(name: string, database: string, bus: string): Promise<LocalNode> {
    const home = join(this.#folder, name)
    mkdirSync(home, { mode: 0o700 })
    // Commands in this home find the cluster here. The nodes get it as variables, too: the caller may have others.
    const config = {
      store: { type: "postgres", url: database },
      bus: { type: "nats", url: bus },
      node: { name },
      agents: { speaker: { model: this.#model() } },
    }
    writeFileSync(join(home, "config.json"), JSON.stringify(config, null, 2), { mode: 0o600 })
    const env = {
      ...process.env,
      TURNHOUSE_HOME: home,
      TURNHOUSE_DATABASE_URL: database,
      TURNHOUSE_NATS_URL: bus,
      TURNHOUSE_NODE_NAME: name,
      TURNHOUSE_CLUSTER_SECRET: this.#secret,
    }
    const child = spawn(program, ["serve", "--port", "0", "--quiet"], { env, stdio: ["ignore", "pipe", "inherit"] })
    this.#processes.set(name, child)
    return { name, home, url: await addressOf(child), pid: child.pid ?? 0 }
  }

  /** Says the same words slowly, so that there is time to watch. */
  #model(): string {
    const path = join(this.#folder, "speaker.json")
    const step = words.split(" ").flatMap((word) => [{ chunks: [`${word} `] }, { delayMs: 150 }])
    writeFileSync(path, JSON.stringify({ delayMs: 0, steps: [step, step, step] }))
    return `offline/script:${path}`
  }
}

async function addressOf(child: ChildProcess): Promise<string> {
  let printed = ""
  return new Promise((resolve, reject) => {
    child.stdout?.on("data", (chunk: Buffer) => {
      printed += chunk.toString()
      const address = /^listening on (http:\S+)$/m.exec(printed)?.[1]
      if (address !== undefined) resolve(address)
    })
    child.once("exit", () => reject(new Error("a node ended before it listened; its message is above")))
  })
}

async function stopBackgroundHost(home: string): Promise<void> {
  const env = { ...process.env, TURNHOUSE_HOME: home }
  await once(spawn(program, ["host", "--stop"], { env, stdio: "ignore" }), "exit")
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, "exit")
  child.kill("SIGTERM")
  await exited
}
