// A viewer that sends bytes and reads lines. Every line is checked against the protocol; an invalid one makes every wait
// fail. A test waits for frames, never for time.
import { isDeepStrictEqual } from "node:util"
import type { AgentMessage, HandshakeResponse } from "../../src/protocols/ipc/frames.ts"
import { checkedMessage, checkedResponse } from "./checked-frame.ts"
import { connected, type RawSocket } from "./raw-socket.ts"

export type Frame = AgentMessage
export type FrameOf<Type extends Frame["type"]> = Extract<Frame, { type: Type }>
export type Sent = object | string | Uint8Array

export const newSession = { version: 2, is_reattach: false, session_id: null, session_token: null } as const

export function reattach(session_token: string, session_id: string | null = null) {
  return { version: 2, is_reattach: true, session_id, session_token } as const
}

export class RawViewer {
  /** All frames after the handshake. */
  readonly frames: Frame[] = []
  #socket: RawSocket | undefined
  #response: HandshakeResponse | undefined
  #fault: string | undefined
  #partial: Buffer[] = []
  /** Bytes received. */
  received = 0

  static async connect(path: string): Promise<RawViewer> {
    const viewer = new RawViewer()
    viewer.#socket = await connected(path, (chunk) => viewer.#receive(chunk))
    return viewer
  }

  get socket(): RawSocket {
    if (this.#socket === undefined) throw new Error("the viewer is not connected")
    return this.#socket
  }

  get closed(): Promise<void> {
    return this.socket.closed
  }

  /** A line for an object, or text or bytes as they are. */
  send(...what: readonly Sent[]): Promise<void> {
    return this.socket.send(Buffer.concat(what.map(bytesOf)))
  }

  /** The agent's answer to the handshake. */
  response(): Promise<HandshakeResponse> {
    return this.#wait("an answer to the handshake", () => this.#response)
  }

  /** The first frame after the given number of them that `look` accepts. */
  until<Wanted extends Frame>(what: string, look: (frame: Frame) => frame is Wanted, after?: number): Promise<Wanted>
  until(what: string, look: (frame: Frame) => boolean, after?: number): Promise<Frame>
  until(what: string, look: (frame: Frame) => boolean, after = 0): Promise<Frame> {
    let seen = after
    return this.#wait(what, () => {
      for (; seen < this.frames.length; seen++) {
        const frame = this.frames[seen]
        if (frame !== undefined && look(frame)) return frame
      }
      return undefined
    })
  }

  /** The first of this type. */
  next<Type extends Frame["type"]>(type: Type, after = 0): Promise<FrameOf<Type>> {
    return this.until(type, (frame): frame is FrameOf<Type> => frame.type === type, after)
  }

  ack(command: string, after = 0): Promise<Frame> {
    return this.frame({ type: "ack", command }, after)
  }

  /** This very frame. */
  frame(wanted: Frame, after = 0): Promise<Frame> {
    return this.until(JSON.stringify(wanted), (frame) => isDeepStrictEqual(frame, wanted), after)
  }

  /** Sends, and returns the first frame of this type that follows. */
  async ask<Type extends Frame["type"]>(type: Type, ...what: readonly Sent[]): Promise<FrameOf<Type>> {
    const after = this.frames.length
    await this.send(...what)
    return this.next(type, after)
  }

  /** Sends, then returns all frames before the reply to a following `sync_request`: what was sent is handled by then. */
  async settle(...what: readonly Sent[]): Promise<readonly Frame[]> {
    const after = this.frames.length
    await this.send(...what, { type: "sync_request" })
    const sync = await this.next("task_update", after)
    return this.frames.slice(after, this.frames.indexOf(sync, after) - 1)
  }

  slash(command: string, ...args: readonly string[]): Promise<FrameOf<"slash_command_result">> {
    return this.ask("slash_command_result", { type: "slash_command", command, args })
  }

  sync(): Promise<FrameOf<"conversation_sync">> {
    return this.ask("conversation_sync", { type: "sync_request" })
  }

  /** Resolves at the end of the connection, and fails if a frame was invalid. */
  async untilClosed(): Promise<readonly Frame[]> {
    await this.closed
    if (this.#fault !== undefined) throw new Error(this.#fault)
    return this.frames
  }

  #wait<Found>(what: string, look: () => Found | undefined): Promise<Found> {
    const missing = () => this.#fault ?? `it was closed without ${what}\n${this.#summary()}`
    return this.socket.until(missing, () => (this.#fault === undefined ? look() : undefined))
  }

  #summary(): string {
    return this.frames.map((frame) => JSON.stringify(frame).slice(0, 300)).join("\n")
  }

  #receive(chunk: Buffer): void {
    this.received += chunk.length
    let from = 0
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      this.#take(Buffer.concat([...this.#partial, chunk.subarray(from, at)]))
      this.#partial = []
      from = at + 1
    }
    if (from < chunk.length) this.#partial.push(chunk.subarray(from))
  }

  #take(line: Buffer): void {
    const checked = this.#response === undefined ? this.#takeResponse(line) : this.#takeMessage(line)
    if (checked.kind === "fine") return
    this.#fault ??= checked.what
    this.socket.destroy()
  }

  #takeResponse(line: Buffer) {
    const checked = checkedResponse(line)
    if (checked.kind === "fine") this.#response = checked.value
    return checked
  }

  #takeMessage(line: Buffer) {
    const checked = checkedMessage(line)
    if (checked.kind === "fine") this.frames.push(checked.value)
    return checked
  }
}

export function bytesOf(what: Sent): Uint8Array {
  if (what instanceof Uint8Array) return what
  return Buffer.from(typeof what === "string" ? what : `${JSON.stringify(what)}\n`)
}

export function of<Type extends Frame["type"]>(frames: readonly Frame[], type: Type): readonly FrameOf<Type>[] {
  return frames.filter((frame): frame is FrameOf<Type> => frame.type === type)
}

export function textOf(frames: readonly Frame[]): string {
  return of(frames, "stream_chunk")
    .map(({ text }) => text)
    .join("")
}

export function names(frames: readonly Frame[]): readonly string[] {
  return frames.map(({ type }) => type)
}
