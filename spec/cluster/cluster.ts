// A cluster on this machine: PostgreSQL and NATS as they are installed, and nodes as processes, each with a home, a folder and
// network connections of its own, which a test can cut.
import { copyFileSync, existsSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { TestContext } from "vitest"
import { HouseClient } from "../../src/clients/house/house-client.ts"
import type { WatchItem } from "../../src/contract/host-port.ts"
import { readFileSync } from "node:fs"
import { startNats, type NatsServer } from "../../src/testing/servers/nats-server.ts"
import { startPostgres, type PostgresServer } from "../../src/testing/servers/postgres-server.ts"
import { TcpProxy } from "../../src/testing/servers/tcp-proxy.ts"
import { WsClient } from "../../src/testing/doors/served-ws.ts"
import { eventually } from "../e2e/eventually.ts"
import { Place } from "../e2e/place.ts"
import { Machine } from "./machine.ts"
import type { Json } from "../e2e/printed.ts"
import type { Running } from "../e2e/running.ts"

const keyFiles = ["secret.key", "console.key"]

export class Cluster {
  readonly postgres: PostgresServer
  readonly nats: NatsServer
  readonly #database: string
  readonly #config: Json
  readonly #nodes: ClusterNode[] = []

  static async start(config: Json): Promise<Cluster> {
    const [postgres, nats] = await Promise.all([startPostgres(), startNats()])
    return new Cluster(postgres, nats, config)
  }

  private constructor(postgres: PostgresServer, nats: NatsServer, config: Json) {
    this.postgres = postgres
    this.nats = nats
    this.#config = config
    this.#database = new URL(postgres.createDatabase()).pathname
  }

  /** Without a proxy. */
  get storeUrl(): string {
    return `postgres://turnhouse@127.0.0.1:${this.postgres.port}${this.#database}`
  }

  /** A running node. The first one makes the keys that all have. */
  async node(name: string, more: Json = {}, manner?: "on its own machine"): Promise<ClusterNode> {
    const [store, bus] = await Promise.all([TcpProxy.to(this.postgres.port), TcpProxy.to(this.nats.port)])
    const place = new Place().open()
    const [first] = this.#nodes
    for (const file of keyFiles)
      if (first !== undefined) copyFileSync(join(first.place.home, file), join(place.home, file))
    const { node: settings = {}, ...rest } = { ...this.#config, ...more }
    place.config({
      ...rest,
      store: { type: "postgres", url: `postgres://turnhouse@127.0.0.1:${store.port}${this.#database}` },
      bus: { type: "nats", url: `nats://127.0.0.1:${bus.port}` },
      node: { name, ...Object(settings) },
    })
    const node = new ClusterNode(name, place, store, bus, manner !== undefined)
    this.#nodes.push(node)
    await node.start()
    return node
  }

  async close(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.close()))
    await Promise.all([this.postgres.remove(), this.nats.stop()])
  }
}

const RECONNECT_MS = 100
const EXIT_MS = 1000

export class ClusterNode {
  readonly name: string
  readonly place: Place
  /** To PostgreSQL. */
  readonly store: TcpProxy
  /** To NATS. */
  readonly bus: TcpProxy
  readonly #hasMachine: boolean
  #machine: Machine | undefined
  #running: Running | undefined
  #url = ""
  #isClosed = false

  constructor(name: string, place: Place, store: TcpProxy, bus: TcpProxy, hasMachine: boolean) {
    this.#hasMachine = hasMachine
    this.name = name
    this.place = place
    this.store = store
    this.bus = bus
  }

  get running(): Running {
    if (this.#running === undefined) throw new Error(`node ${this.name} does not run`)
    return this.#running
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  get url(): string {
    return this.#url
  }

  async start(): Promise<void> {
    await this.#machine?.stop()
    const args = ["serve", "--port", "0"]
    this.#machine = this.#hasMachine ? Machine.start(this.place, args) : undefined
    const running = this.#machine?.running ?? this.place.start(args)
    this.#running = running
    this.#url = await running.until("an address", () => /^listening on (http:\S+)$/m.exec(running.stdout)?.[1])
    await this.ready().catch(async (fault: unknown) => {
      await Promise.race([this.#exited(), sleep(EXIT_MS)]) // it says why
      throw new Error(`node ${this.name} does not become ready: ${running.stderr}`, { cause: fault })
    })
  }

  async ready(): Promise<void> {
    await eventually(`node ${this.name} is ready`, async () => (await this.readiness()).status === 200 || undefined)
  }

  async readiness(): Promise<{ readonly status: number; readonly text: string }> {
    const response = await fetch(`${this.#url}/readyz`)
    return { status: response.status, text: await response.text() }
  }

  /** A visitor of the WebSocket API. */
  visitor(): Promise<WsClient> {
    return WsClient.open(`${this.#url.replace("http", "ws")}/ws`)
  }

  /** The owner of the cluster, with the native API. */
  async native(): Promise<HouseClient> {
    const key = readFileSync(join(this.place.home, "console.key"), "utf8").trim()
    return HouseClient.connect(`${this.#url.replace("http", "ws")}/house`, { door: "test", key })
  }

  /** Ends it without a chance to hand anything over. */
  async kill(): Promise<void> {
    await this.signal("SIGKILL")
    await this.#exited()
  }

  async #exited(): Promise<void> {
    await (this.#machine?.nodeExited() ?? this.running.ended)
  }

  async signal(signal: NodeJS.Signals): Promise<void> {
    if (this.#machine === undefined) this.running.signal(signal)
    else process.kill(await this.#machine.nodePid(), signal)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const proxy of [this.store, this.bus]) proxy.set({ kind: "up" })
    await this.place.close()
    await Promise.all([this.store.close(), this.bus.close()])
  }
}

/** Collects what a watcher of a session gets at a node. A lost connection is opened again, and continues at its cursor. */
export class SessionView {
  readonly items: WatchItem[] = []
  /** When each item arrived, by the clock of this machine. */
  readonly arrivals: number[] = []
  readonly #woken = new Set<() => void>()
  readonly #node: ClusterNode
  readonly #sessionId: string

  static async at(node: ClusterNode, sessionId: string): Promise<SessionView> {
    const view = new SessionView(node, sessionId)
    await view.#connect()
    return view
  }

  private constructor(node: ClusterNode, sessionId: string) {
    this.#node = node
    this.#sessionId = sessionId
  }

  /** Streamed text and deltas of the open step, and stored text, in order. */
  get text(): string {
    return this.items
      .map((item) => {
        if (item.kind === "delta" && item.delta.type === "text.delta") return item.delta.delta
        return item.kind === "streamed" ? item.blocks.map((block) => block.text).join("") : ""
      })
      .join("")
  }

  /** Text that was streamed and is not what was stored. The end of streamed or of stored text may be missing in the other one. */
  inventedText(): readonly string[] {
    const shown = new Map<string, string>()
    return this.items.flatMap((item) => {
      if (item.kind === "streamed")
        for (const { block, text } of item.blocks) shown.set(`${item.stepId}/${block}`, text)
      if (item.kind === "delta" && item.delta.type === "text.delta") {
        const key = `${item.delta.stepId}/${item.delta.block}`
        shown.set(key, (shown.get(key) ?? "") + item.delta.delta)
      }
      if (item.kind !== "event" || item.recorded.event.type !== "text.ended") return []
      const { stepId, block, text } = item.recorded.event
      const streamed = shown.get(`${stepId}/${block}`) ?? ""
      return streamed.startsWith(text) || text.startsWith(streamed) ? [] : [`streamed: ${streamed}; stored: ${text}`]
    })
  }

  get events(): readonly { readonly seq: number; readonly type: string }[] {
    return this.items.flatMap((item) =>
      item.kind === "event" ? [{ seq: item.recorded.seq, type: item.recorded.event.type }] : [],
    )
  }

  count(type: string): number {
    return this.events.filter((event) => event.type === type).length
  }

  until(what: string, look: (view: SessionView) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Error(`${what} did not happen; events: ${this.events.map(({ type }) => type).join(" ")}`))
      }, 60_000)
      const check = () => {
        if (!look(this)) return
        clearTimeout(timer)
        this.#woken.delete(check)
        resolve()
      }
      this.#woken.add(check)
      check()
    })
  }

  async #connect(): Promise<void> {
    const client = await this.#node.native()
    void client.closed.then(() => this.#reconnect())
    await client.watch(this.#sessionId, this.events.at(-1)?.seq ?? 0, (item) => {
      this.#receive(item)
      if (item.kind === "lost") client.close()
    })
  }

  /** Until the node accepts connections again, or the cluster is closed. */
  async #reconnect(): Promise<void> {
    while (!this.#node.isClosed) {
      await sleep(RECONNECT_MS)
      const isConnected = await this.#connect().then(
        () => true,
        () => false,
      )
      if (isConnected) return
    }
  }

  #receive(item: WatchItem): void {
    this.items.push(item)
    this.arrivals.push(Date.now())
    for (const check of this.#woken) check()
  }
}

export function onceCluster(test: Pick<TestContext, "onTestFinished">, cluster: Cluster): Cluster {
  test.onTestFinished(() => cluster.close())
  return cluster
}

export function hasFile(node: ClusterNode, name: string): boolean {
  return existsSync(join(node.place.folder, name))
}
