// For bench/ws.ts: a server process, its cost, and its clients.
import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { WebSocket } from "ws"

const ticksPerSecond = 100

/** The same in every process of the machine. */
export function clockMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

export class ServerProcess {
  readonly url: string
  readonly readyMs: number
  readonly #child: ChildProcess

  static async start(
    command: string,
    args: readonly string[],
    env: Record<string, string> = {},
  ): Promise<ServerProcess> {
    const begun = performance.now()
    const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "inherit"] })
    for await (const line of createInterface({ input: child.stdout })) {
      const url = /^listening on http(:\S+)$/.exec(line)?.[1]
      if (url !== undefined) return new ServerProcess(child, `ws${url}/ws`, performance.now() - begun)
    }
    throw new Error(`${command} ended without an address`)
  }

  private constructor(child: ChildProcess, url: string, readyMs: number) {
    this.#child = child
    this.url = url
    this.readyMs = readyMs
  }

  /** Of all its threads, since its start. */
  get cpuSeconds(): number {
    const fields = readFileSync(`/proc/${this.#child.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
  }

  get memoryKb(): number {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${this.#child.pid}/status`, "utf8"))?.[1])
  }

  async stop(): Promise<void> {
    this.#child.kill("SIGTERM")
    if (this.#child.exitCode === null) await once(this.#child, "exit")
  }
}

/** Arrival of the frames of a turn, in milliseconds after the request. */
export interface TurnTimes {
  readonly ackMs: number
  readonly firstWordMs: number
  /** Latency from the provider, one for each frame with text. */
  readonly delays: readonly number[]
}

export class Visitor {
  readonly socket: WebSocket
  #sessionId = ""
  #requests = 0

  static async connect(url: string): Promise<Visitor> {
    const visitor = new Visitor(new WebSocket(url, { perMessageDeflate: false }))
    await once(visitor.socket, "open")
    return visitor
  }

  private constructor(socket: WebSocket) {
    this.socket = socket
  }

  async create(): Promise<void> {
    const frame = await this.#ask({ action: "create_conversation_session", agentId: "a" })
    this.#sessionId = /"sessionId":"([^"]+)"/.exec(frame)?.[1] ?? ""
  }

  turn(message: string): Promise<TurnTimes> {
    const begun = performance.now()
    const delays: number[] = []
    const times = { ackMs: 0, firstWordMs: 0, delays }
    return new Promise((resolve, reject) => {
      const hear = (data: Buffer) => {
        const type = data.toString("latin1", 9, 16) // {"type":" comes before it
        if (type === "immedia") times.ackMs = performance.now() - begun
        if (type === "stream_") {
          if (delays.length === 0) times.firstWordMs = performance.now() - begun
          delays.push(clockMs() - writtenAt(data))
        }
        if (type === 'error",') reject(new Error(String(data)))
        if (type !== "eventua") return
        this.socket.off("message", hear)
        resolve(times)
      }
      this.socket.on("message", hear)
      this.#send({ action: "send_message", sessionId: this.#sessionId, message })
    })
  }

  async #ask(frame: object): Promise<string> {
    this.#send(frame)
    const [data] = await once(this.socket, "message")
    return String(data)
  }

  #send(frame: object): void {
    this.socket.send(JSON.stringify({ ...frame, requestId: `r${(this.#requests += 1)}` }))
  }
}

/** Uses the last token of a frame; several may have been joined. */
function writtenAt(data: Buffer): number {
  const end = data.indexOf('","data"')
  return Number(data.toString("latin1", data.lastIndexOf(" ", end), end))
}
