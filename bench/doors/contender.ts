// A process that is measured, one of our doors or the bare relay behind the same transport, and its clients.
import type { ChildProcess, ChildProcessWithoutNullStreams } from "node:child_process"
import { once } from "node:events"
import { readdirSync } from "node:fs"
import { createConnection, type Socket } from "node:net"
import { join } from "node:path"
import { onLines, type Client } from "./clients/client.ts"
import { house, ipc, LineClient, rpc, type LineStream } from "./clients/line-client.ts"
import { SocketClient } from "./clients/socket-client.ts"
import { pause } from "./clock.ts"
import type { RunningProcess } from "./running-process.ts"

export const doors = ["rpc", "ws", "house", "ipc"] as const
export type Door = (typeof doors)[number]
export const kinds = ["bare", "ours"] as const
export type Kind = (typeof kinds)[number]

export interface Contender {
  readonly process: RunningProcess
  /** From the start of the process to its first line, or until its socket can be connected to. */
  readonly readyMs: number
  /** Where its clients connect; empty for the stdio child. */
  readonly address: string
  /** A new conversation. */
  connect(): Promise<Client>
  /** The conversation that a stdio child began or continued with. */
  readonly first?: Client
  stop(): Promise<void>
}

/** The first turns of a process are slower, until its code is compiled. */
export async function warmUp(contender: Contender): Promise<void> {
  const client = await contender.connect()
  await client.ask()
  for (let turn = 0; turn < WARM_UP_TURNS; turn++) await client.turn("200 tokens, one every 0 ms")
  client.close()
}

export const handshake = '{"version":2,"is_reattach":false,"session_id":null,"session_token":null}\n'
const WARM_UP_TURNS = 10
const SOCKET_MS = 30_000

/** The only client of a stdio child. */
export function stdioClient({ stdin, stdout }: ChildProcessWithoutNullStreams) {
  const stream = lineStream(stdin, stdout, () => {})
  const ready = new Promise<string>((resolve) => stream.listen(resolve))
  return { client: new LineClient(stream, rpc), ready }
}

export async function newRpcSession(client: LineClient): Promise<LineClient> {
  await client.request({ type: "new_session", id: "n" }, (line) => line.includes('"id":"n"'))
  return client
}

export function socketClient(url: string): Promise<Client> {
  return SocketClient.open(url)
}

/** `cwd`: where its session works. */
export async function houseClient(path: string, cwd: string): Promise<LineClient> {
  const sessionId = await newHouseSession(path, cwd)
  const client = new LineClient(await socketStream(path), house(sessionId), { path, sessionId })
  await client.request({ type: "hello", version: 1, door: "bench" }, (line) => line.startsWith('{"type":"hello"'))
  await client.request({ type: "open", id: "o", sessionId, cursor: 0 }, (line) => line.startsWith('{"type":"answer"'))
  return client
}

export async function newHouseSession(path: string, cwd: string): Promise<string> {
  const client = new LineClient(await socketStream(path), house(""))
  await client.request({ type: "hello", version: 1, door: "bench" }, (line) => line.startsWith('{"type":"hello"'))
  const create = { type: "create", id: "c", wish: { cwd, origin: "bench" } }
  const answer = await client.request(create, (line) => line.startsWith('{"type":"answer"'))
  client.close()
  return /"sessionId":"([^"]+)"/.exec(answer)?.[1] ?? ""
}

export async function viewerClient(path: string): Promise<LineClient> {
  const stream = await socketStream(path)
  const greeted = new Promise<void>((resolve) => {
    stream.listen((line) => line.startsWith('{"type":"seal_status"') && resolve())
  })
  stream.write(handshake)
  await greeted
  return new LineClient(stream, ipc, { path, sessionId: "" })
}

async function socketStream(path: string): Promise<LineStream> {
  const socket = await connected(path)
  return lineStream(socket, socket, () => socket.destroy())
}

export function lineStream(output: NodeJS.WritableStream, input: NodeJS.ReadableStream, close: () => void): LineStream {
  let listener: ((line: string) => void) | undefined
  onLines(input, (line) => listener?.(line))
  return { write: (text) => output.write(text), listen: (next) => (listener = next), close }
}

/** A socket that is about to be made, or whose backlog is full, is tried again. */
export async function connected(path: string): Promise<Socket> {
  for (const deadline = Date.now() + SOCKET_MS; ; await pause(1)) {
    const socket = createConnection(path)
    try {
      await once(socket, "connect")
      return socket.on("error", () => socket.destroy())
    } catch (fault) {
      if (Date.now() > deadline) throw fault
    }
  }
}

/** The socket of the host of a home, once it accepts connections. */
export async function hostSocket(home: string, child: ChildProcess): Promise<string> {
  for (const folder = join(home, "hosts"); ; await pause(1)) {
    if (child.exitCode !== null) throw new Error(`the host ended with ${child.exitCode}`)
    const name = namesIn(folder).find((each) => each.endsWith(".sock"))
    if (name === undefined) continue
    const path = join(folder, name)
    ;(await connected(path)).destroy()
    return path
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // the host makes it
  }
}
