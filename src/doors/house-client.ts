// A client of the house wire: the other end of a control socket. It gives the same port as a house in this process, so
// that whoever uses it need not know where a session lives.
import { checkDelta } from "../contract/generated/deltas.js"
import { checkRefusal } from "../contract/generated/refusals.js"
import type { SessionCommand } from "../contract/commands.ts"
import type { HousePort, OpenedHandle, SendOutcome, SessionHandle, Watcher, WatchItem } from "../contract/house-port.ts"
import type { SessionId } from "../contract/ids.ts"
import type { Refusal } from "../contract/refusals.ts"
import type { JsonValue } from "../contract/values.ts"
import type { ClientFrame, HostFrame } from "../protocols/house/frames.ts"
import { houseVersion, maxLineBytes, readStored, receiveFromHost } from "../protocols/house/receive.ts"
import type { Line } from "../transports/framing/lines.ts"
import { connectToSocket, type LineConnection } from "../transports/unix-socket.ts"

type Answer =
  | { readonly kind: "answer"; readonly value: JsonValue }
  | { readonly kind: "refused"; readonly refusal: Refusal }

const gone: Refusal = { code: "host.gone" }

export class HouseClient implements HousePort {
  readonly #waiting = new Map<string, (answer: Answer) => void>()
  readonly #watchers = new Map<SessionId, Watcher>()
  readonly #greeting = Promise.withResolvers<Answer>()
  #connection: LineConnection | undefined
  #ids = 0
  #isLost = false

  /** Throws when nobody listens there. */
  static async connect(path: string): Promise<HouseClient> {
    const client = new HouseClient()
    const connection = await connectToSocket(path, maxLineBytes, () => (line) => client.#receive(line))
    client.#connection = connection
    void connection.closed.then(() => client.#lose())
    client.#write({ type: "hello", version: houseVersion })
    const answer = await client.#greeting.promise
    if (answer.kind === "refused") throw new HouseRefused(answer.refusal)
    return client
  }

  open(sessionId: SessionId): Promise<OpenedHandle> {
    return Promise.resolve({ kind: "opened", handle: new RemoteHandle(this, sessionId) })
  }

  async send(sessionId: SessionId, command: SessionCommand): Promise<SendOutcome> {
    const answer = await this.#ask((id) => ({ type: "send", id, sessionId, command }))
    if (answer.kind === "refused") return answer
    return { kind: "accepted", seq: seqOf(answer.value) }
  }

  async watch(sessionId: SessionId, cursor: number, watcher: Watcher): Promise<() => void> {
    this.#watchers.set(sessionId, watcher)
    const answer = await this.#ask((id) => ({ type: "open", id, sessionId, cursor }))
    if (answer.kind === "refused") watcher({ kind: "lost", refusal: answer.refusal })
    return () => {
      this.#watchers.delete(sessionId)
      this.#write({ type: "close", sessionId })
    }
  }

  close(): void {
    this.#connection?.end()
  }

  #ask(frame: (id: string) => ClientFrame): Promise<Answer> {
    if (this.#isLost) return Promise.resolve({ kind: "refused", refusal: gone })
    const { promise, resolve } = Promise.withResolvers<Answer>()
    this.#ids += 1
    const id = String(this.#ids)
    this.#waiting.set(id, resolve)
    this.#write(frame(id))
    return promise
  }

  #write(frame: ClientFrame): void {
    this.#connection?.send(JSON.stringify(frame))
  }

  #receive(line: Line): void {
    const received = line.kind === "line" ? receiveFromHost(line.text) : undefined
    if (received?.kind === "frame") this.#handle(received.frame)
  }

  #handle(frame: HostFrame): void {
    switch (frame.type) {
      case "hello":
        return this.#greeting.resolve({ kind: "answer", value: frame.host })
      case "answer":
        return this.#settle(frame.id, { kind: "answer", value: frame.value })
      case "refused":
        return this.#refused(frame)
      case "event":
      case "delta":
      case "streamed":
        return this.#tell(frame.sessionId, itemOf(frame))
      case "gap":
        return // what follows comes from the log: only deltas were left out
      case "closed":
        return this.#tell(frame.sessionId, { kind: "lost", refusal: gone })
    }
  }

  #refused({ id, refusal }: Extract<HostFrame, { type: "refused" }>): void {
    const answer = { kind: "refused", refusal: checkRefusal(refusal) ? refusal : gone } as const
    if (id === undefined) this.#greeting.resolve(answer)
    else this.#settle(id, answer)
  }

  #settle(id: string, answer: Answer): void {
    this.#waiting.get(id)?.(answer)
    this.#waiting.delete(id)
  }

  #tell(sessionId: SessionId, item: WatchItem | undefined): void {
    if (item !== undefined) this.#watchers.get(sessionId)?.(item)
  }

  /** Nobody waits for ever on a host that is gone. */
  #lose(): void {
    this.#isLost = true
    const refused = { kind: "refused", refusal: gone } as const
    this.#greeting.resolve(refused)
    for (const settle of this.#waiting.values()) settle(refused)
    this.#waiting.clear()
    for (const watcher of this.#watchers.values()) watcher({ kind: "lost", refusal: gone })
    this.#watchers.clear()
  }
}

export class HouseRefused extends Error {
  override readonly name = "HouseRefused"
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.code)
    this.refusal = refusal
  }
}

class RemoteHandle implements SessionHandle {
  readonly sessionId: SessionId
  readonly #client: HouseClient

  constructor(client: HouseClient, sessionId: SessionId) {
    this.#client = client
    this.sessionId = sessionId
  }

  send(command: SessionCommand): Promise<SendOutcome> {
    return this.#client.send(this.sessionId, command)
  }

  watch(cursor: number, watcher: Watcher): Promise<() => void> {
    return this.#client.watch(this.sessionId, cursor, watcher)
  }
}

function itemOf(frame: Extract<HostFrame, { type: "event" | "delta" | "streamed" }>): WatchItem | undefined {
  if (frame.type === "streamed") return { kind: "streamed", stepId: frame.stepId, blocks: frame.blocks }
  if (frame.type === "delta") return checkDelta(frame.delta) ? { kind: "delta", delta: frame.delta } : undefined
  const recorded = readStored(frame.stored)
  return recorded === undefined ? undefined : { kind: "event", recorded }
}

function seqOf(value: JsonValue): number {
  return typeof value === "object" && value !== null && "seq" in value && typeof value["seq"] === "number"
    ? value["seq"]
    : 0
}
