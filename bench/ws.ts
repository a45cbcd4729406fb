// Cost of the WebSocket API against a relay that reads the same provider with the same package and sends the same frames
// with the same library, without an engine. Provider, relay and server are processes of this machine, called alternately,
// so that other load affects all of them. Bounds are printed beside each figure; the exit code is 1 when one is missed.
// Run: node bench/ws.ts [part …]
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { median, quantile } from "./quantile.ts"
import { ServerProcess, Visitor, type TurnTimes } from "./ws-server.ts"

const starts = 15
const rounds = 5
const talkers = 10
const conversations = 20
const turnsEach = 10
const crowd = 1000
const relayMayLagMs = 500
const shortWish = "3 tokens, one every 0 ms"
const missed: string[] = []

/** The two servers that are compared. */
type Rival = "relay" | "server"
const rivals = ["relay", "server"] as const

const home = mkdtempSync(join(tmpdir(), "turnhouse-bench-ws-"))
const file = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const turnhouse = file("../bin/turnhouse")
const provider = await ServerProcess.start(process.execPath, [file("ws-provider.ts")])
const baseURL = provider.url.replace(/^ws(.*)\/ws$/, "http$1/v1")
const parts = { start, tokens, answers, idle, streams }
try {
  configure()
  await (await serving()).stop() // the first start creates the files of the home and fills the compile cache
  const wanted = process.argv.slice(2)
  for (const [name, part] of Object.entries(parts)) if (wanted.length === 0 || wanted.includes(name)) await part()
} finally {
  await provider.stop()
  rmSync(home, { recursive: true })
}
console.log(missed.length === 0 ? "all bounds met" : `missed: ${missed.join(", ")}`)
process.exitCode = missed.length === 0 ? 0 : 1

async function start(): Promise<void> {
  const listening = "console.log('listening on http://127.0.0.1:'+this.address().port)"
  const bareServer = `require('http').createServer().listen(0,'127.0.0.1',function(){${listening}})`
  const [bare, served]: [number[], number[]] = [[], []]
  for (let n = 0; n < starts; n++) {
    const one = await ServerProcess.start(process.execPath, ["-e", bareServer])
    const other = await serving()
    bare.push(one.readyMs)
    served.push(other.readyMs)
    await Promise.all([one.stop(), other.stop()])
  }
  const ratio = median(served) / median(bare)
  line("bare HTTP server, spawn to listening, median", `${median(bare).toFixed(0)} ms`)
  line("turnhouse serve, spawn to listening, median", `${median(served).toFixed(0)} ms`)
  bound("  ratio", `${ratio.toFixed(2)} times`, "under 2.5", ratio < 2.5)
}

/** Every turn has its own conversation: only the server would have to send earlier messages again. */
async function tokens(): Promise<void> {
  await both(async (pair) => {
    const fast = await cpuOfTurns(pair, "2000 tokens, one every 0 ms")
    line("CPU per token at full speed: relay", `${fast.relay.toFixed(1)} us`)
    line("  server", `${fast.server.toFixed(1)} us`)
    const added = fast.server - fast.relay
    bound("  added by engine and door", `${added.toFixed(1)} us`, "at most 8", added <= 8)
    const slow = await cpuOfTurns(pair, "600 tokens, one every 5 ms")
    line("CPU per token that arrives alone: relay", `${slow.relay.toFixed(1)} us`)
    line("  server", `${slow.server.toFixed(1)} us`)
    line("  added by engine and door", `${(slow.server - slow.relay).toFixed(1)} us`)
  })
}

/** Microseconds for each token, several conversations at once; the first round warms up. */
async function cpuOfTurns(pair: Pair, message: string): Promise<Record<Rival, number>> {
  const spent: Record<Rival, number[]> = { relay: [], server: [] }
  for (let round = 0; round <= rounds; round++)
    for (const name of rivals) {
      const visitors = await newcomers(pair[name], talkers)
      const before = pair[name].cpuSeconds
      const turns = await Promise.all(visitors.map((visitor) => visitor.turn(message)))
      const micros = (pair[name].cpuSeconds - before) * 1e6
      if (round > 0) spent[name].push(micros / turns.flatMap(({ delays }) => delays).length)
      for (const { socket } of visitors) socket.close()
    }
  return { relay: median(spent.relay), server: median(spent.server) }
}

async function answers(): Promise<void> {
  await both(async (pair) => {
    const commit = commits()
    const times = { commit: [] as number[], relay: [] as TurnTimes[], server: [] as TurnTimes[] }
    for (let n = -5; n < conversations; n++) {
      const [relay, server] = [await newcomer(pair.relay), await newcomer(pair.server)]
      for (let turn = 0; turn < turnsEach; turn++) {
        const one = { commit: commit(), relay: await relay.turn(shortWish), server: await server.turn(shortWish) }
        if (n < 0) continue // warms up
        times.commit.push(one.commit)
        times.relay.push(one.relay)
        times.server.push(one.server)
      }
    }
    const [durable, ack] = [median(times.commit), ackOf(times.server)]
    line("durable commit of the same size, median", `${durable.toFixed(2)} ms`)
    line("message to its 202: relay, which stores nothing", `${ackOf(times.relay).toFixed(2)} ms`)
    bound("  server, which has stored it", `${ack.toFixed(2)} ms`, "commit + 0.3", ack <= durable + 0.3)
    const first = { relay: firstOf(times.relay), server: firstOf(times.server) }
    line("message to the first token: relay", `${first.relay.toFixed(2)} ms`)
    line("  server", `${first.server.toFixed(2)} ms`)
    const added = first.server - first.relay
    bound("  added by engine and door", `${added.toFixed(2)} ms`, "under 2", added < 2)
  })
}

function ackOf(turns: readonly TurnTimes[]): number {
  return median(turns.map(({ ackMs }) => ackMs))
}

function firstOf(turns: readonly TurnTimes[]): number {
  return median(turns.map(({ firstWordMs }) => firstWordMs))
}

/** The first thousand grow the new process; those after them are measured. */
async function idle(): Promise<void> {
  await both(async (pair) => {
    const kb = { relay: 0, server: 0 }
    for (const name of rivals) {
      const before = await connections(pair[name], crowd)
      const empty = pair[name].memoryKb
      const counted = await connections(pair[name], 2 * crowd)
      kb[name] = (pair[name].memoryKb - empty) / counted.length
      for (const { socket } of [...before, ...counted]) socket.terminate()
    }
    const ratio = kb.server / kb.relay
    line(`one of ${2 * crowd} idle connections: relay`, `${kb.relay.toFixed(1)} KB`)
    line("  server", `${kb.server.toFixed(1)} KB`)
    bound("  ratio", `${ratio.toFixed(2)} times`, "at most 2", ratio <= 2)
  })
}

/** The streams start within one second, and are measured from then on. */
async function streams(): Promise<void> {
  const p99: Record<Rival, number> = { relay: Number.NaN, server: Number.NaN }
  for (const name of rivals) {
    const process = name === "relay" ? await relaying() : await serving()
    const visitors = await newcomers(process, crowd)
    await Promise.all(visitors.map((visitor) => visitor.turn("10 tokens, one every 50 ms")))
    const turns = visitors.map(async (visitor, n) => {
      await new Promise((resolve) => setTimeout(resolve, (n * 1000) / crowd))
      return visitor.turn("160 tokens, one every 50 ms")
    })
    const delays = (await Promise.all(turns)).flatMap((turn) => turn.delays.slice(40))
    p99[name] = quantile(delays, 0.99)
    const half = quantile(delays, 0.5).toFixed(1)
    line(
      `${crowd} streams of 20 tokens/s, delay of a token: the ${name}`,
      `p50 ${half}, p99 ${p99[name].toFixed(1)} ms`,
    )
    for (const { socket } of visitors) socket.terminate()
    await process.stop()
  }
  const added = p99.server - p99.relay
  const isDecided = p99.relay < relayMayLagMs // a relay that falls behind cannot show what is added
  if (!isDecided) line("  the relay itself falls behind: no result", "")
  bound("  added by engine and door, p99", `${added.toFixed(1)} ms`, "under 50", isDecided && added < 50)
}

type Pair = Readonly<Record<Rival, ServerProcess>>

async function both(measure: (pair: Pair) => Promise<void>): Promise<void> {
  const pair = { relay: await relaying(), server: await serving() }
  try {
    await measure(pair)
  } finally {
    await Promise.all([pair.relay.stop(), pair.server.stop()])
  }
}

function relaying(): Promise<ServerProcess> {
  return ServerProcess.start(process.execPath, [file("ws-relay.ts"), baseURL])
}

function serving(): Promise<ServerProcess> {
  return ServerProcess.start(turnhouse, ["serve", "--port", "0", "--quiet"], { TURNHOUSE_HOME: home })
}

function configure(): void {
  const providers = { local: { type: "openai-compatible", baseURL, apiKey: "none" } }
  writeFileSync(join(home, "config.json"), JSON.stringify({ model: "local/m", providers }))
}

async function newcomer(server: ServerProcess): Promise<Visitor> {
  const visitor = await Visitor.connect(server.url)
  await visitor.create()
  return visitor
}

async function connections(server: ServerProcess, count: number): Promise<readonly Visitor[]> {
  const visitors: Visitor[] = []
  while (visitors.length < count) visitors.push(await Visitor.connect(server.url))
  return visitors
}

async function newcomers(server: ServerProcess, count: number): Promise<readonly Visitor[]> {
  const visitors: Visitor[] = []
  while (visitors.length < count) visitors.push(await newcomer(server))
  return visitors
}

/** One commit per call, with the size and durability of a stored message: WAL, every commit synced. */
function commits(): () => number {
  const database = new DatabaseSync(join(home, "commits.db"))
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
  database.exec("CREATE TABLE events (text TEXT); CREATE TABLE sessions (line TEXT); INSERT INTO sessions VALUES ('')")
  const insert = database.prepare("INSERT INTO events VALUES (?)")
  const update = database.prepare("UPDATE sessions SET line = ?")
  return () => {
    const begun = performance.now()
    database.exec("BEGIN IMMEDIATE")
    for (let event = 0; event < 4; event++) insert.run("x".repeat(250))
    update.run("x".repeat(800))
    database.exec("COMMIT")
    return performance.now() - begun
  }
}

function bound(what: string, figure: string, promise: string, isKept: boolean): void {
  if (!isKept) missed.push(what.trim())
  line(what, `${figure.padEnd(10)} (bound: ${promise}) ${isKept ? "ok" : "missed"}`)
}

function line(what: string, figure: string): void {
  console.log(`${what.padEnd(60)} ${figure}`)
}
