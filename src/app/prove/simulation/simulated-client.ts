// One client of a simulated session, on the native API: it has a cursor, sends a command again until it is answered, comes
// back when its connection is cut, and leaves a host that does not answer.
import type { SessionCommand } from "../../../contract/commands.ts"
import type { WatchItem } from "../../../contract/host-port.ts"
import { readItem, readRefusal } from "../../../clients/house/read-item.ts"
import type { Refusal } from "../../../contract/refusals.ts"
import type { ClientFrame, HostFrame } from "../../../protocols/house/frames.ts"
import { houseVersions } from "../../../protocols/house/limits.ts"
import { frameOf } from "./frame-texts.ts"
import { SimulatedProcess, type Scheduler } from "./scheduler.ts"
import type { SimulatedHost } from "./simulated-host.ts"
import { SimulatedWire } from "./simulated-wire.ts"

export type Answer =
  | { readonly kind: "accepted"; readonly seq: number }
  | { readonly kind: "refused"; readonly refusal: Refusal }

export interface ClientWorld {
  readonly scheduler: Scheduler
  readonly sessionId: string
  /** Creates the session if it does not exist. */
  readonly isCreator: boolean
  readonly name: string
  readonly delayMs: number
  /** The connection is cut after one of so many frames; 0: never. */
  readonly cutOneOf: () => number
  /** A running host, the owner of the session if there is one. */
  readonly findHost: () => SimulatedHost | undefined
  readonly onItem: (client: SimulatedClient, sessionId: string, item: WatchItem) => void
  readonly onCut: (frame: string) => void
  /** It was not shown some deltas: of a session with which it did not keep up, or of all because its connection was lost. */
  readonly onGap: (sessionId?: string) => void
  readonly onSent: (host: SimulatedProcess, line: string | Uint8Array) => void
}

interface Request {
  readonly sessionId: string
  readonly command: SessionCommand
  readonly onAnswer: (answer: Answer) => void
  /** On this connection. */
  id: string | undefined
}

/** Doubled with every failure in a row. */
const RETRY_MS = 20
const MAX_RETRY_MS = 700
const AGENT_RETRY_MS = 300
/** A host that answers nothing for so long is left. */
const PATIENCE_MS = 2500

/** Answers that say that the session is between two hosts: the command is sent again. */
const passing = new Set([
  "host.gone",
  "host.leaving",
  "session.owned",
  "log.fenced",
  "log.unavailable",
  "session.unknown",
])

export class SimulatedClient {
  readonly principal: string
  readonly process: SimulatedProcess
  readonly #world: ClientWorld
  readonly #requests = new Set<Request>()
  /** Those that were sent on this connection, by id. */
  readonly #sent = new Map<string, Request>()
  /** The last event that it was shown, by session. */
  readonly #cursors = new Map<string, number>()
  #wire: SimulatedWire | undefined
  #state: "away" | "greeting" | "creating" | "opening" | "open" = "away"
  #exists: boolean
  #ids = 0
  #answeredAt = 0
  #retryMs = RETRY_MS

  constructor(world: ClientWorld) {
    this.#world = world
    this.principal = world.name
    this.process = new SimulatedProcess(world.name)
    this.#exists = !world.isCreator
    this.#later(world.scheduler.between(0, 3), () => this.#connect())
  }

  /** Every command was answered. */
  get isIdle(): boolean {
    return this.#requests.size === 0
  }

  /** Called in a task of any process. */
  send(
    command: SessionCommand,
    onAnswer: (answer: Answer) => void,
    { sessionId = this.#world.sessionId, afterMs = 0 }: { readonly sessionId?: string; readonly afterMs?: number } = {},
  ): void {
    const request: Request = { sessionId, command, onAnswer, id: undefined }
    this.#requests.add(request)
    this.#later(afterMs, () => this.#transmit(request))
  }

  /** Of an agent: as far as the host of this connection has it. */
  watch(sessionId: string): void {
    if (this.#cursors.has(sessionId)) return
    this.#cursors.set(sessionId, 0)
    this.#openAgent(sessionId)
  }

  #openAgent(sessionId: string): void {
    const cursor = this.#cursors.get(sessionId) ?? 0
    if (this.#state === "open") this.#write({ type: "open", id: `agent ${sessionId}`, sessionId, cursor })
  }

  #openAgentLater(sessionId: string): void {
    const wire = this.#wire
    this.#later(AGENT_RETRY_MS, () => {
      if (this.#wire === wire) this.#openAgent(sessionId)
    })
  }

  #later(ms: number, run: () => void): void {
    this.#world.scheduler.schedule(ms, run, this.process)
  }

  #connect(): void {
    if (this.#wire !== undefined) return
    const { scheduler, findHost, delayMs, onSent } = this.#world
    const host = findHost()
    if (host === undefined) return this.#later(RETRY_MS, () => this.#connect())
    const wire = new SimulatedWire(scheduler, {
      client: this.process,
      host: host.process,
      delayMs,
      onLine: (line) => this.#wire === wire && this.#receive(line),
      onClosed: () => this.#wire === wire && this.#lose(),
      onSent: (line) => onSent(host.process, line),
    })
    this.#wire = wire
    this.#state = "greeting"
    this.#answeredAt = scheduler.now
    this.#later(PATIENCE_MS, () => this.#checkLife(wire))
    scheduler.schedule(delayMs, () => host.accept(wire, this.principal), host.process)
    this.#write({ type: "hello", version: houseVersions[0] ?? 0, door: "simulation" })
  }

  /** A frozen host reports nothing. */
  #checkLife(wire: SimulatedWire): void {
    if (this.#wire !== wire) return
    const waits = this.#state !== "open" || this.#requests.size > 0
    if (waits && this.#world.scheduler.now - this.#answeredAt >= PATIENCE_MS) return this.#leave()
    if (!waits) this.#write({ type: "query", id: "life", query: { type: "host" } })
    this.#later(PATIENCE_MS, () => this.#checkLife(wire))
  }

  #leave(): void {
    this.#wire?.cut()
    this.#lose()
  }

  #lose(): void {
    this.#wire = undefined
    this.#state = "away"
    this.#world.onGap()
    this.#sent.clear()
    for (const request of this.#requests) request.id = undefined
    this.#later(this.#world.scheduler.between(1, RETRY_MS), () => this.#connect())
  }

  #write(frame: ClientFrame): void {
    this.#wire?.write(JSON.stringify(frame))
  }

  #transmit(request: Request): void {
    if (this.#state !== "open" || request.id !== undefined) return
    this.#ids += 1
    request.id = `r${this.#ids}`
    this.#sent.set(request.id, request)
    const { id, sessionId, command } = request
    this.#write({ type: "send", id, sessionId, command: { ...command } })
  }

  #receive(line: string | Uint8Array): void {
    const frame = frameOf(line)
    this.#answeredAt = this.#world.scheduler.now
    this.#take(frame)
    const oneOf = this.#world.cutOneOf()
    if (oneOf === 0 || this.#wire === undefined || this.#world.scheduler.below(oneOf) > 0) return
    this.#world.onCut(frame.type)
    this.#leave()
  }

  #take(frame: HostFrame): void {
    switch (frame.type) {
      case "hello":
        return this.#exists ? this.#open() : this.#create()
      case "answer":
        return this.#answered(frame.id, { kind: "accepted", seq: seqIn(frame.value) })
      case "refused":
        return this.#answered(frame.id ?? "", { kind: "refused", refusal: readRefusal(frame.refusal) })
      case "gap":
        return this.#world.onGap(frame.sessionId)
      case "event":
      case "delta":
      case "streamed":
      case "closed":
        return this.#show(frame)
      case "live":
        return // it does not ask for it
    }
  }

  #create(): void {
    this.#state = "creating"
    this.#write({ type: "create", id: "create", wish: { cwd: "/", origin: "simulation" } })
  }

  #open(): void {
    this.#state = "opening"
    const { sessionId } = this.#world
    this.#write({ type: "open", id: "open", sessionId, cursor: this.#cursors.get(sessionId) ?? 0 })
  }

  #answered(id: string, answer: Answer): void {
    if (id === "create") return this.#created(answer)
    if (id === "open") return this.#opened(answer)
    if (id.startsWith("agent ") && answer.kind === "refused") return this.#openAgentLater(id.slice("agent ".length))
    const request = this.#sent.get(id)
    this.#sent.delete(id)
    if (request !== undefined) this.#settle(request, answer)
  }

  /** It exists already if the answer to an earlier request was lost. */
  #created(answer: Answer): void {
    this.#exists = answer.kind === "accepted" || answer.refusal.code === "session.exists"
    if (this.#exists) this.#open()
    else this.#retry()
  }

  #opened(answer: Answer): void {
    if (answer.kind === "refused") return this.#retry()
    this.#state = "open"
    this.#retryMs = RETRY_MS
    for (const sessionId of this.#cursors.keys()) if (sessionId !== this.#world.sessionId) this.#openAgent(sessionId)
    for (const request of this.#requests) this.#transmit(request)
  }

  /** On another connection, perhaps to another host. */
  #retry(): void {
    const wire = this.#wire
    const ms = this.#world.scheduler.between(1, this.#retryMs)
    this.#retryMs = Math.min(MAX_RETRY_MS, this.#retryMs * 2)
    this.#later(ms, () => {
      if (this.#wire === wire && wire !== undefined) this.#leave()
    })
  }

  #settle(request: Request, answer: Answer): void {
    if (answer.kind === "refused" && passing.has(answer.refusal.code)) {
      request.id = undefined
      if (request.sessionId === this.#world.sessionId) return this.#retry()
      this.#requests.delete(request) // another host has the agent: this connection does not lead there
      return
    }
    this.#requests.delete(request)
    request.onAnswer(answer)
  }

  #show(frame: Extract<HostFrame, { type: "event" | "delta" | "streamed" | "closed" }>): void {
    const item = readItem(frame)
    if (item === undefined) return
    const { sessionId } = frame
    if (item.kind === "event") this.#cursors.set(sessionId, item.recorded.seq)
    if (item.kind !== "lost") return this.#world.onItem(this, sessionId, item)
    if (sessionId === this.#world.sessionId) this.#retry()
    else this.#openAgentLater(sessionId)
  }
}

function seqIn(value: unknown): number {
  return typeof value === "object" && value !== null && "seq" in value && typeof value.seq === "number" ? value.seq : 0
}
