// One connection to an agent, from the handshake to its end: messages in both directions, plain or sealed. Does not
// reconnect and does not interpret messages.
import type { Socket } from "node:net"
import {
  decodeAgentMessage,
  decodeHandshakeResponse,
  encodeHandshake,
  encodeViewerMessage,
} from "../../../protocols/ipc/codec.ts"
import type { AgentMessage, Handshake, HandshakeResponse, ViewerMessage } from "../../../protocols/ipc/frames.ts"
import { frameLimits } from "../../../protocols/ipc/limits.ts"
import { sealingKey } from "../../../protocols/ipc/handshake.ts"
import { open, seal } from "../../../transports/framing/sealed-frames.ts"
import { openSocket } from "../../../transports/socket-address.ts"
import { onAbort } from "../../base/abort.ts"
import { errorOf } from "../../base/fault.ts"
import { IpcFault, IpcMessageTooLarge, IpcNoHandshake, IpcNotReachable, IpcNotReading } from "../faults.ts"
import { Incoming, type IncomingData } from "./incoming.ts"

export type Received =
  /** `weight` is the length of its text. */
  | { readonly kind: "message"; readonly message: AgentMessage; readonly weight: number }
  | { readonly kind: "notice"; readonly what: string }

export interface ConnectionOptions {
  readonly handshake: Handshake
  readonly encrypted: boolean
  readonly onReceived: (received: Received) => void
  readonly signal: AbortSignal
}

/** Bytes that an agent which does not read may leave unread. */
const MAX_WAITING_BYTES = 32 * 1024 * 1024
/** Bytes that sealing adds to a text, besides the length. */
const SEAL_BYTES = 28
/** Characters of an unreadable message that are shown. */
const MAX_NOTICE = 200
const CLOSE_MS = 1000

export class Connection {
  /** Resolves when either side has closed. */
  readonly closed: Promise<void>
  readonly #socket: Socket
  readonly #options: ConnectionOptions
  readonly #response = Promise.withResolvers<HandshakeResponse>()
  #key: Uint8Array | undefined
  #isAccepted = false
  #isListening = false
  /** What arrived together with the handshake response. */
  readonly #early: IncomingData[] = []

  constructor(socket: Socket, options: ConnectionOptions) {
    this.#socket = socket
    this.#options = options
    this.#response.promise.catch(() => {}) // reported by `handshake`
    const incoming = new Incoming(frameLimits.lineBytes, (data) => this.#receive(data))
    socket.on("data", (chunk: Buffer) => incoming.push(chunk))
    socket.on("end", () => incoming.end())
    socket.on("error", () => socket.destroy()) // `closed` reports it
    this.closed = new Promise((resolve) => socket.on("close", () => resolve()))
    void this.closed.then(() =>
      this.#response.reject(new IpcNoHandshake("the agent closed the connection without answering the handshake")),
    )
  }

  /** The agent's response, accepted or not. Later messages are delivered from `listen` on. */
  async handshake(): Promise<HandshakeResponse> {
    const { handshake, signal } = this.#options
    signal.throwIfAborted()
    const removeListener = onAbort(signal, () => this.#socket.destroy(errorOf(signal.reason, IpcFault)))
    this.#socket.write(`${encodeHandshake(handshake)}\n`)
    try {
      return await this.#response.promise
    } catch (fault) {
      signal.throwIfAborted()
      throw fault
    } finally {
      removeListener()
    }
  }

  listen(): void {
    this.#isListening = true
    for (const data of this.#early.splice(0)) this.#receive(data)
    this.#socket.resume()
  }

  /** One write: some agents lose the beginning of a message that arrives in pieces. */
  send(message: ViewerMessage): void {
    const text = encodeViewerMessage(message)
    const bytes = Buffer.byteLength(text)
    const limit = this.#key === undefined ? frameLimits.lineBytes - 1 : frameLimits.lineBytes - SEAL_BYTES
    if (bytes > limit) throw new IpcMessageTooLarge(message.type, bytes, limit)
    if (this.#socket.writableLength > MAX_WAITING_BYTES) throw new IpcNotReading(this.#socket.writableLength)
    if (!this.#socket.writable) return // `closed` reports it
    this.#socket.write(this.#key === undefined ? `${text}\n` : seal(this.#key, Buffer.from(text)))
  }

  /** Writes what is buffered, and reads until the agent closes, for at most `CLOSE_MS`. */
  end(): void {
    this.#socket.end()
    const timer = setTimeout(() => this.#socket.destroy(), CLOSE_MS)
    void this.closed.then(() => clearTimeout(timer))
  }

  destroy(): void {
    this.#socket.destroy()
  }

  #receive(data: IncomingData): void {
    if (this.#isAccepted && !this.#isListening) return void this.#early.push(data)
    switch (data.kind) {
      case "text":
        return this.#isAccepted ? this.#receiveMessage(data.text) : this.#receiveResponse(data.text)
      case "sealed":
        return this.#unseal(data.frame)
      case "noise":
        return this.#notice(data.what)
      case "broken":
        this.#notice(data.what)
        this.#socket.destroy()
    }
  }

  #receiveResponse(text: string): void {
    const response = decodeHandshakeResponse(text)
    if (response === undefined) {
      this.#response.reject(new IpcNoHandshake("the peer does not speak brainwires IPC"))
      return void this.#socket.destroy()
    }
    this.#isAccepted = true
    const token = response.session_token ?? this.#options.handshake.session_token
    if (this.#options.encrypted && typeof token === "string") this.#key = sealingKey(token)
    this.#socket.pause()
    this.#response.resolve(response)
  }

  #unseal(frame: Uint8Array): void {
    const plain = this.#key === undefined ? undefined : open(this.#key, frame)
    if (plain !== undefined) return this.#receiveMessage(Buffer.from(plain).toString())
    this.#notice("a sealed frame that this key does not open")
    this.#socket.destroy()
  }

  #receiveMessage(text: string): void {
    if (text.trim() === "") return
    const read = decodeAgentMessage(text)
    if (read.kind === "message") this.#options.onReceived({ ...read, weight: text.length })
    else this.#notice(`${read.problem}: ${text.slice(0, MAX_NOTICE)}`)
  }

  #notice(what: string): void {
    this.#options.onReceived({ kind: "notice", what })
  }
}

export async function connect(socketPath: string, options: ConnectionOptions): Promise<Connection> {
  const socket = await openSocket(socketPath, options.signal).catch((fault: unknown) => {
    options.signal.throwIfAborted()
    throw new IpcNotReachable(socketPath, errorOf(fault, IpcFault))
  })
  return new Connection(socket, options)
}
