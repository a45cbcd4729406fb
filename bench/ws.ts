// What the network door costs: its start against a bare Node, a word against a relay that sends the same frames with no
// engine, the first word, the acknowledgement against a bare durable commit, a thousand sockets. Every number is taken
// in this run; bounds are printed beside it, and the exit code is 1 when one is missed. Run: node bench/ws.ts
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { ServerProcess, Visitor, type TurnTimes } from "./ws-server.ts"

const starts = 15
const wordsPerTurn = 2000
const talkers = 10
const turnsEach = 4
const shortTurns = 100
const crowd = 1000
const wordText = "abc "
const missed: string[] = []

const home = mkdtempSync(join(tmpdir(), "turnhouse-bench-ws-"))
const file = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const turnhouse = file("../bin/turnhouse")
const env = { TURNHOUSE_HOME: home }
try {
  await start()
  await costOfWords()
  await answers()
  await manySockets()
} finally {
  rmSync(home, { recursive: true })
}
console.log(missed.length === 0 ? "all bounds kept" : `missed: ${missed.join(", ")}`)
process.exitCode = missed.length === 0 ? 0 : 1

/** Taken in turn, so that whatever else the machine does concerns both. */
async function start(): Promise<void> {
  const bareServer =
    "require('http').createServer().listen(0,'127.0.0.1',function(){console.log('listening on http://127.0.0.1:'+this.address().port)})"
  const [bare, served]: [number[], number[]] = [[], []]
  await (await serving("offline/demo")).stop() // the first start of a home makes its files and fills the compile cache
  for (let n = 0; n < starts; n++) {
    const one = await ServerProcess.start(process.execPath, ["-e", bareServer])
    const other = await serving("offline/demo")
    bare.push(one.readyMs)
    served.push(other.readyMs)
    await Promise.all([one.stop(), other.stop()])
  }
  const ratio = median(served) / median(bare)
  line("a bare HTTP server, spawn to listening, median", `${median(bare).toFixed(0)} ms`)
  line("turnhouse serve, spawn to listening, median", `${median(served).toFixed(0)} ms`)
  bound("  against the bare one", `${ratio.toFixed(2)} times`, "at most 2.5", ratio <= 2.5)
}

async function costOfWords(): Promise<void> {
  const relay = await ServerProcess.start(process.execPath, [file("ws-relay.ts"), String(wordsPerTurn), wordText])
  const relayUs = await cpuPerWord(relay)
  const server = await serving(
    script(
      "long.json",
      Array.from({ length: wordsPerTurn }, () => wordText),
    ),
  )
  const serverUs = await cpuPerWord(server)
  await Promise.all([relay.stop(), server.stop()])
  line("a word through the relay", `${relayUs.toFixed(1)} us of CPU`)
  line("a word from a scripted model through engine and door", `${serverUs.toFixed(1)} us of CPU`)
  line("  against the relay", `${(serverUs / relayUs).toFixed(2)} times`)
}

/** Several at once; the first turns warm it up. */
async function cpuPerWord(server: ServerProcess): Promise<number> {
  const visitors = await Promise.all(Array.from({ length: talkers }, () => Visitor.connect(server.url)))
  for (const visitor of visitors) await visitor.create()
  await Promise.all(visitors.map((visitor) => visitor.turn("warm up")))
  const before = server.cpuSeconds
  const turns = await Promise.all(visitors.map(async (visitor) => severalTurns(visitor, turnsEach)))
  const words = turns.flat().reduce((sum, turn) => sum + turn.words, 0)
  const spent = server.cpuSeconds - before
  for (const { socket } of visitors) socket.close()
  return (spent / words) * 1e6
}

async function answers(): Promise<void> {
  const relay = await ServerProcess.start(process.execPath, [file("ws-relay.ts"), "1", wordText])
  const server = await serving(script("short.json", ["Fine."]))
  const [bare, served] = [await shortTimes(relay), await shortTimes(server)]
  await Promise.all([relay.stop(), server.stop()])
  const commit = commitMs()
  line("a durable commit of one row, median", `${commit.toFixed(2)} ms`)
  const ack = median(served.map(({ ackMs }) => ackMs))
  line("a message to its 202 (stored by then), median", `${ack.toFixed(2)} ms`)
  line("  the relay, which stores nothing", `${median(bare.map(({ ackMs }) => ackMs)).toFixed(2)} ms`)
  line("  against the commit", `${(ack / commit).toFixed(1)} times`)
  const first = median(served.map(({ firstWordMs }) => firstWordMs))
  bound("a message to the first word, median", `${first.toFixed(2)} ms`, "under 50", first < 50)
}

async function shortTimes(server: ServerProcess): Promise<readonly TurnTimes[]> {
  const visitor = await Visitor.connect(server.url)
  await visitor.create()
  await severalTurns(visitor, shortTurns / 5)
  const times = await severalTurns(visitor, shortTurns)
  visitor.socket.close()
  return times
}

async function manySockets(): Promise<void> {
  const server = await serving(script("short.json", ["Fine."]))
  const first = await Visitor.connect(server.url)
  await first.create()
  await first.turn("warm up")
  const empty = server.memoryKb
  const visitors: Visitor[] = []
  for (let n = 0; n < crowd; n++) visitors.push(await Visitor.connect(server.url))
  const idle = (server.memoryKb - empty) / crowd
  bound(`one of ${crowd} idle sockets`, `${idle.toFixed(0)} KB`, "under 100", idle < 100)
  for (const visitor of visitors) await visitor.create()
  const inside = (server.memoryKb - empty) / crowd
  line("  with a conversation each", `${inside.toFixed(0)} KB`)
  const pings = []
  for (let n = 0; n < 50; n++) pings.push(await timeOf(() => first.ping()))
  line("  a ping among them, median", `${median(pings).toFixed(2)} ms`)
  const together = await timeOf(() => Promise.all(visitors.map((visitor) => visitor.turn("hello"))))
  bound(`  a short turn of all ${crowd} at once`, `${(together / 1000).toFixed(1)} s`, "under 60", together < 60_000)
  for (const { socket } of visitors) socket.terminate()
  first.socket.terminate()
  await server.stop()
}

function serving(model: string): Promise<ServerProcess> {
  writeFileSync(join(home, "config.json"), JSON.stringify({ model }))
  return ServerProcess.start(turnhouse, ["serve", "--port", "0", "--quiet"], env)
}

/** Every turn of a service session is one answer further in the script. */
function script(name: string, chunks: readonly string[]): string {
  const steps = Array.from({ length: shortTurns * 2 }, () => [{ chunks }])
  writeFileSync(
    join(home, name),
    JSON.stringify({
      delayMs: 0,
      maxOutput: 100_000,
      steps: steps.slice(0, chunks.length > 1 ? turnsEach + 1 : undefined),
    }),
  )
  return `offline/script:${join(home, name)}`
}

async function severalTurns(visitor: Visitor, count: number): Promise<readonly TurnTimes[]> {
  const turns: TurnTimes[] = []
  for (let n = 0; n < count; n++) turns.push(await visitor.turn("hello"))
  return turns
}

/** As the log is written: WAL, and every commit synced. */
function commitMs(): number {
  const database = new DatabaseSync(join(home, "commits.db"))
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE rows (text TEXT)")
  const insert = database.prepare("INSERT INTO rows VALUES (?)")
  const times = Array.from({ length: 200 }, () => {
    const begun = performance.now()
    insert.run("x".repeat(300))
    return performance.now() - begun
  })
  database.close()
  return median(times)
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

function bound(what: string, value: string, promise: string, kept: boolean): void {
  if (!kept) missed.push(what.trim())
  line(what, `${value} (${promise})`)
}

function line(what: string, value: string): void {
  console.log(`${what.padEnd(56)} ${value}`)
}
