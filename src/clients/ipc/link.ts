// One connection to an agent, from the handshake to its end: messages in and out, plain or sealed. It never comes back
// by itself, and knows nothing of what the messages mean.
import type { Socket } from "node:net"
import { encodeHandshake, encodeViewer } from "../../protocols/ipc/encode.ts"
import type { AgentMessage, Handshake, HandshakeResponse, ViewerMessage } from "../../protocols/ipc/frames.ts"
import { maxLineBytes, readAgentMessage, readHandshakeResponse } from "../../protocols/ipc/codec.ts"
import { sealingKey } from "../../protocols/ipc/sealing.ts"
import { open, seal } from "../../transports/framing/sealed-frames.ts"
import { asError, IpcMessageTooLarge, IpcNoHandshake, IpcNotReachable, IpcNotReading } from "./faults.ts"
import { Incoming, type Came } from "./incoming.ts"
import { openSocket } from "../../transports/socket-address.ts"

export type Heard =
  /** `weight` is the length of its text. */
  | { readonly kind: "message"; readonly message: AgentMessage; readonly weight: number }
  | { readonly kind: "notice"; readonly what: string }

export interface LinkOptions {
  readonly handshake: Handshake
  readonly encrypted: boolean
  readonly hear: (heard: Heard) => void
  readonly signal: AbortSignal
}

/** What may wait to be taken by an agent that does not read. */
const maxWaitingBytes = 32 * 1024 * 1024
/** What sealing adds to a text, its length aside. */
const sealBytes = 28
const noticeLength = 200
const partingMs = 1000

export class Link {
  /** Nothing more comes: the agent closed, or we did. */
  readonly closed: Promise<void>
  readonly #socket: Socket
  readonly #options: LinkOptions
  readonly #answered = Promise.withResolvers<HandshakeResponse>()
  #key: Uint8Array | undefined
  #isTaken = false
  #isListening = false
  /** What came in one piece with the answer to the handshake. */
  readonly #early: Came[] = []

  constructor(socket: Socket, options: LinkOptions) {
    this.#socket = socket
    this.#options = options
    this.#answered.promise.catch(() => {}) // told to whoever shakes hands
    const incoming = new Incoming(maxLineBytes, (came) => this.#take(came))
    socket.on("data", (chunk: Buffer) => incoming.push(chunk))
    socket.on("end", () => incoming.end())
    socket.on("error", () => socket.destroy()) // `closed` says so
    this.closed = new Promise((resolve) => socket.on("close", () => resolve()))
    void this.closed.then(() =>
      this.#answered.reject(new IpcNoHandshake("the agent closed the connection without an answer to the handshake")),
    )
  }

  /** The agent's answer, whether it takes us or not. What it says after it is heard from `listen` on. */
  async shakeHands(): Promise<HandshakeResponse> {
    const { handshake, signal } = this.#options
    signal.throwIfAborted()
    const giveUp = () => this.#socket.destroy(asError(signal.reason))
    signal.addEventListener("abort", giveUp, { once: true })
    this.#socket.write(`${encodeHandshake(handshake)}\n`)
    try {
      return await this.#answered.promise
    } catch (fault) {
      signal.throwIfAborted()
      throw fault
    } finally {
      signal.removeEventListener("abort", giveUp)
    }
  }

  listen(): void {
    this.#isListening = true
    for (const came of this.#early.splice(0)) this.#take(came)
    this.#socket.resume()
  }

  /** In one write: some agents lose the beginning of a message that comes in pieces. */
  send(message: ViewerMessage): void {
    const text = encodeViewer(message)
    const bytes = Buffer.byteLength(text)
    const limit = this.#key === undefined ? maxLineBytes - 1 : maxLineBytes - sealBytes
    if (bytes > limit) throw new IpcMessageTooLarge(message.type, bytes, limit)
    if (this.#socket.writableLength > maxWaitingBytes) throw new IpcNotReading(this.#socket.writableLength)
    if (!this.#socket.writable) return // `closed` says so
    this.#socket.write(this.#key === undefined ? `${text}\n` : seal(this.#key, Buffer.from(text)))
  }

  /** Writes what waits, and reads on until the agent closes too, but not for long. */
  end(): void {
    this.#socket.end()
    const late = setTimeout(() => this.#socket.destroy(), partingMs)
    void this.closed.then(() => clearTimeout(late))
  }

  destroy(): void {
    this.#socket.destroy()
  }

  #take(came: Came): void {
    if (this.#isTaken && !this.#isListening) return void this.#early.push(came)
    switch (came.kind) {
      case "text":
        return this.#isTaken ? this.#read(came.text) : this.#answer(came.text)
      case "sealed":
        return this.#unseal(came.frame)
      case "noise":
        return this.#notice(came.what)
      case "broken":
        this.#notice(came.what)
        this.#socket.destroy()
    }
  }

  #answer(text: string): void {
    const response = readHandshakeResponse(text)
    if (response === undefined) {
      this.#answered.reject(new IpcNoHandshake("what listens there does not speak this protocol"))
      return void this.#socket.destroy()
    }
    this.#isTaken = true
    const token = response.session_token ?? this.#options.handshake.session_token
    if (this.#options.encrypted && typeof token === "string") this.#key = sealingKey(token)
    this.#socket.pause()
    this.#answered.resolve(response)
  }

  #unseal(frame: Uint8Array): void {
    const plain = this.#key === undefined ? undefined : open(this.#key, frame)
    if (plain !== undefined) return this.#read(Buffer.from(plain).toString())
    this.#notice("a sealed frame that our key does not open")
    this.#socket.destroy()
  }

  #read(text: string): void {
    if (text.trim() === "") return
    const read = readAgentMessage(text)
    if (read.kind === "message") this.#options.hear({ ...read, weight: text.length })
    else this.#notice(`${read.what}: ${text.slice(0, noticeLength)}`)
  }

  #notice(what: string): void {
    this.#options.hear({ kind: "notice", what })
  }
}

export async function connect(socketPath: string, options: LinkOptions): Promise<Link> {
  const socket = await openSocket(socketPath, options.signal).catch((fault: unknown) => {
    options.signal.throwIfAborted()
    throw new IpcNotReachable(socketPath, asError(fault))
  })
  return new Link(socket, options)
}
