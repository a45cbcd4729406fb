// Cost of watching through the native API: a delta sent to a thousand clients against bare writes of the same bytes,
// attaching to a live session with a long history, and idle open sessions. Clients are other processes and not counted.
// Every number is measured in this run; bounds are printed beside it, and the exit code is 1 when one is missed.
// Run: node bench/house.ts
import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { createConnection, createServer } from "node:net"
import { join } from "node:path"
import type { SessionDelta } from "../src/contract/deltas.ts"
import { HouseClient } from "../src/clients/house/house-client.ts"
import { openLogWithWriter } from "../src/log-writer/client.ts"
import { encodeItem } from "../src/protocols/house/codec.ts"
import { newSession, testHost, turn, type TestHost } from "../src/testing/test-host.ts"
import { scriptedSource } from "../src/testing/index.ts"
import { portOf, serve } from "../src/testing/doors/served-host.ts"
import { bareServer, compare, connected, micro, milli, repeat, until, watchers } from "./crowd.ts"
import { runAll } from "./run-all.ts"

const messages = 1000
const attempts = 7
const idleSessions = 1000
const warmUp = 100
const delta: SessionDelta = { type: "text.delta", stepId: "stp_019a8b7c6d5e", block: 0, delta: "a few words " }

const [mode, path = "", id = "", newest = ""] = process.argv.slice(2)
if (mode === "readers") await readInThisProcess(path, id)
else if (mode === "attach") await attachInThisProcess(path, id, Number(newest))
else if (mode === "idle") await idleInThisProcess(path)
else await runAll([watching, attaching, idling])

async function watching(folder: string): Promise<boolean> {
  const { host } = await houseAt(join(folder, "watching.db"), 0)
  const session = await newSession(host)
  const served = await serve(portOf(host))
  const bare = await bareServer(join(folder, "bare.sock"))
  const readers = [startReaders(served.path, session.id), startReaders(bare.path, "")]
  await until(() => session.watching.length === watchers && bare.sockets.length === watchers)
  const bytes = encodeItem(session.id, { kind: "delta", delta })
  const writeBare = (times: number) => repeat(times, () => bare.sockets.forEach((socket) => socket.write(bytes)))
  const tell = (times: number) => repeat(times, () => session.publish({ ...delta }))
  const one = await compare(
    () => writeBare(1),
    () => tell(1),
  )
  const four = await compare(
    () => writeBare(4),
    () => tell(4),
  )
  for (const reader of readers) reader.kill()
  for (const socket of bare.sockets) socket.destroy()
  bare.close()
  await served.close()
  await host.close()
  console.log(`${watchers} watchers, CPU of the host per watcher and delta`)
  console.log(`  bare write of the same bytes        ${micro(one.bare)}`)
  console.log(`  native API                          ${micro(one.door)}  (bound: under 6)`)
  console.log(`    against the bare write            ${(one.door / one.bare).toFixed(2)} times`)
  console.log(`  native API, 4 deltas at once        ${micro(four.door / 4)}`)
  console.log(`    against 4 bare writes             ${(four.door / four.bare).toFixed(2)} times`)
  return one.door < 6
}

async function attaching(folder: string): Promise<boolean> {
  const { host } = await houseAt(join(folder, "attaching.db"), messages / 2)
  const session = await newSession(host)
  for (let said = 0; said < messages; said += 2) await turn(session, `What about part ${said} of the plan?`)
  const served = await serve(portOf(host))
  const cold = await viewers(1, served.path, session.id, 50)
  const usual = await viewers(attempts, served.path, session.id, 50)
  const whole = await viewers(attempts, served.path, session.id, 1000)
  const bare = await answeringServer(join(folder, "answering.sock"), usual.bytes)
  const knocked = await viewers(attempts, bare.path, "", 0)
  bare.close()
  await served.close()
  await host.close()
  console.log(`attach to a live session of ${messages} messages (${session.state.seq} events), each time a new process`)
  console.log(`  first snapshot, 50 turns, median    ${milli(usual.ms)}  (bound: under 20)`)
  console.log(
    `    against a bare answer of that size ${(usual.ms / knocked.ms).toFixed(1)} times (${milli(knocked.ms).trim()})`,
  )
  console.log(`    the first snapshot of this host   ${milli(cold.ms)}`)
  console.log(`  first snapshot, all turns, median   ${milli(whole.ms)}  (${Math.round(whole.bytes / 1024)} kB)`)
  return usual.ms < 20
}

async function viewers(count: number, socket: string, sessionId: string, turns: number): Promise<Attached> {
  const all: Attached[] = []
  for (let viewer = 0; viewer < count; viewer++) {
    const printed = await outputOf(["attach", socket, sessionId, String(turns)])
    const [ms = NaN, bytes = NaN] = printed.split(" ").map(Number)
    all.push({ ms, bytes })
  }
  return all.toSorted((one, other) => one.ms - other.ms)[Math.floor(count / 2)] ?? { ms: NaN, bytes: NaN }
}

/** Measured from the connection of the viewer. */
async function attachInThisProcess(socket: string, sessionId: string, turns: number): Promise<void> {
  const { ms, bytes } = await (sessionId === "" ? knock(socket) : attach(socket, sessionId, turns))
  console.log(ms, bytes)
}

interface Attached {
  readonly ms: number
  readonly bytes: number
}

async function attach(socket: string, sessionId: string, turns: number): Promise<Attached> {
  const start = performance.now()
  const client = await HouseClient.connect(socket, { door: "bench" })
  let bytes = 0
  let ms = NaN
  const joined = await client.join(sessionId, turns, (snapshot) => {
    ms = performance.now() - start
    bytes = JSON.stringify(snapshot).length
    return () => {}
  })
  if (joined.kind === "refused") throw new Error(joined.refusal.code)
  client.close()
  await client.closed
  return { ms, bytes }
}

/** The minimum of attaching: one line to a socket, and as many bytes back. */
async function knock(socket: string): Promise<Attached> {
  const start = performance.now()
  const connection = createConnection(socket)
  connection.write("hello\n")
  let bytes = 0
  for await (const chunk of connection) bytes += chunk.length
  return { ms: performance.now() - start, bytes }
}

/** Each has had a turn, like real idle sessions. */
async function idling(folder: string): Promise<boolean> {
  const file = join(folder, "idle.db")
  const count = idleSessions + warmUp
  const { host } = await houseAt(file, count)
  for (let made = 0; made < count; made += 50)
    await Promise.all(Array.from({ length: 50 }, async () => turn(await newSession(host), "hello")))
  await host.close()
  const printed = await outputOf(["idle", file], ["--expose-gc"])
  const [each = NaN, rss = NaN] = printed.split(" ").map(Number)
  console.log(`${idleSessions} sessions, open and idle`)
  console.log(`  growth of the process, each         ${each.toFixed(1).padStart(7)} kB  (bound: under 50)`)
  console.log(`  the whole process                   ${rss.toFixed(1).padStart(7)} MB  (bound: under 200)`)
  return each < 50 && rss < 200
}

/** The first few sessions grow the process to its base size. */
async function idleInThisProcess(file: string): Promise<void> {
  const { host, log } = await houseAt(file, 0)
  const listed = await log.list()
  if (listed.kind === "refused") throw new Error(listed.refusal.code)
  const ids = listed.value.map(({ sessionId }) => sessionId)
  for (const sessionId of ids.slice(0, warmUp)) await host.open(sessionId)
  global.gc?.()
  const before = process.memoryUsage.rss()
  for (const sessionId of ids.slice(warmUp)) await host.open(sessionId)
  global.gc?.()
  const rss = process.memoryUsage.rss()
  console.log((rss - before) / 1024 / idleSessions, rss / 1024 / 1024)
  await host.close()
}

async function houseAt(file: string, turns: number): Promise<TestHost> {
  const opened = openLogWithWriter({ path: file })
  if (opened.kind === "refused") throw new Error(opened.refusal.code)
  const script = Array.from({ length: turns }, (_, n) => [
    { text: `Part ${n} is like this: ${"and so on ".repeat(20)}` },
  ])
  return testHost(scriptedSource(script, { contextWindow: 10_000_000 }), [], {}, opened.value)
}

async function answeringServer(socket: string, bytes: number) {
  const text = "x".repeat(bytes)
  const server = createServer((each) => each.once("data", () => each.end(text)))
  server.listen(socket)
  await once(server, "listening")
  return { path: socket, close: () => server.close() }
}

function startReaders(socket: string, sessionId: string): ChildProcess {
  return spawn(process.execPath, [import.meta.filename, "readers", socket, sessionId], {
    stdio: ["ignore", "inherit", "inherit"],
  })
}

/** Many clients that discard what they read. With a session they open it first. */
async function readInThisProcess(socket: string, sessionId: string): Promise<void> {
  for (let client = 0; client < watchers; client++) {
    const reader = await connected(socket)
    reader.resume()
    if (sessionId !== "")
      reader.write(`{"type":"hello","version":1}\n{"type":"open","id":"1","sessionId":"${sessionId}"}\n`)
  }
}

async function outputOf(args: readonly string[], flags: readonly string[] = []): Promise<string> {
  const child = spawn(process.execPath, [...flags, import.meta.filename, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  let printed = ""
  child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()))
  const [code] = await once(child, "close")
  if (code !== 0) throw new Error(`${args[0]} failed`)
  return printed.trim()
}
