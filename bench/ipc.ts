// Cost of the session socket: the first snapshot of a long conversation, what engine and door add to a delta of the model,
// and a delta sent to a thousand viewers against bare writes of the same bytes. The viewers are another process and not
// counted. Every number is measured in this run; bounds are printed beside it, and the exit code is 1 when one is missed.
// Run: node bench/ipc.ts
import { spawn, type ChildProcessByStdio } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { createConnection } from "node:net"
import { join } from "node:path"
import type { Readable } from "node:stream"
import { openIpcDoor, type IpcDoor } from "../src/doors/ipc/door.ts"
import type { SessionHost } from "../src/host/session-host.ts"
import { newId, newSessionId } from "../src/host/new-ids.ts"
import type { ModelSource } from "../src/models/model-source.ts"
import { encodeAgentMessage } from "../src/protocols/ipc/codec.ts"
import { newSession, prompt, testHost, turn } from "../src/testing/test-host.ts"
import { scriptedSource } from "../src/testing/index.ts"
import { portOf } from "../src/testing/doors/served-host.ts"
import { bareServer, compare, connected, micro, milli, repeat, until, watchers } from "./crowd.ts"
import { cpuUs, least, readAlone, streaming } from "./rpc-deltas.ts"
import { runAll } from "./run-all.ts"

const messages = 1000
const attempts = 15
const deltas = 50_000
const rounds = 5
const handshake = '{"version":2,"is_reattach":false,"session_id":null,"session_token":null}\n'
const words = "a few words "

const [mode, path = "", greets = ""] = process.argv.slice(2)
if (mode === "readers") await readInThisProcess(path, greets === "yes")
else await runAll([attaching, streamingCosts, watching])

async function attaching(folder: string): Promise<boolean> {
  const script = Array.from({ length: messages / 2 }, (_, n) => [
    { text: `Part ${n} is like this: ${"and so on ".repeat(20)}` },
  ])
  const { host } = await testHost(scriptedSource(script, { contextWindow: 10_000_000 }))
  const session = await newSession(host)
  for (let count = 0; count < messages; count += 2) await turn(session, `What about part ${count} of the plan?`)
  const { door, socket } = await openDoor(host, session.id, folder)
  const alone = await pictures(socket)
  const stays = createConnection(socket)
  stays.write(handshake)
  stays.resume()
  await until(() => session.watching.length === 1)
  const joining = await pictures(socket)
  stays.destroy()
  await door.close()
  await host.close()
  console.log(
    `first conversation_sync of ${messages} messages (${Math.round(alone.bytes / 1024)} kB), median of ${attempts}`,
  )
  console.log(`  for the only viewer                 ${milli(alone.ms)}  (bound: under 20)`)
  console.log(`  with another viewer                 ${milli(joining.ms)}`)
  return alone.ms < 20
}

async function pictures(socket: string): Promise<{ readonly ms: number; readonly bytes: number }> {
  const all: { readonly ms: number; readonly bytes: number }[] = []
  for (let attempt = 0; attempt < attempts; attempt++) all.push(await picture(socket))
  return all.toSorted((one, other) => one.ms - other.ms)[Math.floor(attempts / 2)] ?? { ms: NaN, bytes: NaN }
}

/** From the connection to the last byte of the snapshot. */
async function picture(socket: string): Promise<{ readonly ms: number; readonly bytes: number }> {
  const start = performance.now()
  const viewer = createConnection(socket)
  viewer.write(handshake)
  let bytes = 0
  await new Promise<void>((resolve) => {
    viewer.on("data", (chunk: Buffer) => {
      bytes += chunk.length
      if (chunk.includes('"type":"task_update"')) resolve()
    })
  })
  const ms = performance.now() - start
  viewer.destroy()
  await once(viewer, "close")
  return { ms, bytes }
}

/** With one viewer in this process that discards what it reads. */
async function streamingCosts(folder: string): Promise<boolean> {
  const model = streaming(
    () => deltas,
    () => {},
  )
  const choice = { model, contextWindow: 1e9, maxOutput: 1e9, takesPrefill: true, costUsd: () => 0 }
  const models: ModelSource = { resolve: async (name) => ({ name, ...choice }) }
  const { host } = await testHost(models)
  const reader: number[] = []
  const engine: number[] = []
  const whole: number[] = []
  for (let round = 0; round < rounds; round++) {
    reader.push(await cpuUs(() => readAlone(deltas)))
    const bare = await newSession(host)
    engine.push(await cpuUs(async () => void (await turn(bare, "go"))))
    const session = await newSession(host)
    const { door, socket } = await openDoor(host, session.id, folder)
    const viewer = createConnection(socket)
    viewer.write(handshake)
    viewer.resume()
    await until(() => session.watching.length === 1)
    whole.push(await cpuUs(async () => void (await turn(session, "go"))))
    viewer.destroy()
    await door.close()
  }
  await host.close()
  const alone = least(reader) / deltas
  const added = least(whole) / deltas - alone
  console.log(`CPU per delta, ${deltas} deltas in a turn`)
  console.log(`  reading the model's stream          ${micro(alone)}`)
  console.log(`  added by engine, door and viewer    ${micro(added)}  (bound: at most 8)`)
  console.log(`    without door and viewer           ${micro(least(engine) / deltas - alone)}`)
  return added <= 8
}

async function watching(folder: string): Promise<boolean> {
  const { host } = await testHost(scriptedSource([[{ text: "Well," }, { hang: true }]]))
  const session = await newSession(host)
  await prompt(session, "go")
  await until(() => session.streaming !== undefined)
  const { door, socket } = await openDoor(host, session.id, folder)
  const bare = await bareServer(join(folder, "bare.sock"))
  const readers = [startReaders(socket, true), startReaders(bare.path, false)]
  await until(() => bare.sockets.length === watchers)
  await Promise.all(readers.map((reader) => once(reader.stdout, "data")))
  const stepId = session.streaming?.stepId ?? "stp_"
  const bytes = Buffer.from(`${encodeAgentMessage({ type: "stream_chunk", text: words })}\n`)
  const writeBare = (times: number) => repeat(times, () => bare.sockets.forEach((each) => each.write(bytes)))
  const tell = (times: number) =>
    repeat(times, () => session.publish({ type: "text.delta", stepId, block: 0, delta: words }))
  const one = await compare(
    () => writeBare(1),
    () => tell(1),
  )
  const four = await compare(
    () => writeBare(4),
    () => tell(4),
  )
  for (const reader of readers) reader.kill()
  for (const each of bare.sockets) each.destroy()
  bare.close()
  await door.close()
  await host.close()
  console.log(`${watchers} viewers of one session, CPU of the host per viewer and delta`)
  console.log(`  bare write of the same bytes        ${micro(one.bare)}`)
  console.log(`  door                                ${micro(one.door)}  `)
  console.log(`    against the bare write            ${(one.door / one.bare).toFixed(2)} times  (bound: under 2)`)
  console.log(`  door, 4 deltas at once              ${micro(four.door / 4)}`)
  console.log(`    against 4 bare writes             ${(four.door / four.bare).toFixed(2)} times`)
  return one.door / one.bare < 2
}

async function openDoor(
  host: SessionHost,
  sessionId: string,
  folder: string,
): Promise<{ readonly door: IpcDoor; readonly socket: string }> {
  const door = await openIpcDoor({
    sessionId,
    folder,
    port: portOf(host),
    admits: () => true,
    by: { principal: "bench", door: "ipc" },
    pid: process.pid,
    newId,
    newToken: () => randomBytes(32).toString("hex"),
    newSessionId: () => newSessionId(Date.now()),
    now: Date.now,
    blockedCommands: [],
    newSessionOnce: false,
    childReady: async () => {},
    warn: (message) => console.error(message),
  })
  return { door, socket: join(folder, `${sessionId}.sock`) }
}

function startReaders(socket: string, greeting: boolean): ChildProcessByStdio<null, Readable, null> {
  return spawn(process.execPath, [import.meta.filename, "readers", socket, greeting ? "yes" : "no"], {
    stdio: ["ignore", "pipe", "inherit"],
  })
}

/** Many clients that discard what they read; viewers send their handshake and wait for the snapshot. */
async function readInThisProcess(socket: string, greeting: boolean): Promise<void> {
  for (let client = 0; client < watchers; client++) {
    const reader = await connected(socket)
    if (greeting) {
      reader.write(handshake)
      await once(reader, "data")
    }
    reader.resume()
  }
  console.log("all are in")
}
