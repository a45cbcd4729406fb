// A connection between a client and a host, with a delay in both directions. What is on its way when it is cut arrives in
// part; what a host had sent when it died still arrives.
import type { LineConnection } from "../../../transports/line-connection.ts"
import type { Scheduler, SimulatedProcess } from "./scheduler.ts"

export interface WireEnds {
  readonly client: SimulatedProcess
  readonly host: SimulatedProcess
  /** Milliseconds that a line takes at least. */
  readonly delayMs: number
  /** A host's line has arrived, without its end. */
  readonly onLine: (line: string | Uint8Array) => void
  /** The client learns that the connection is gone. */
  readonly onClosed: () => void
  /** The host has handed a line to the system. */
  readonly onSent: (line: string | Uint8Array) => void
}

export class SimulatedWire implements LineConnection {
  readonly closed: Promise<void>
  readonly #scheduler: Scheduler
  readonly #ends: WireEnds
  readonly #closedAtHost = Promise.withResolvers<void>()
  readonly #drained: (() => void)[] = []
  #lastArrival = { atClient: 0, atHost: 0 }
  #isOpen = true
  #isPaused = false
  readonly #unread: string[] = []
  #receive: (line: string) => void = () => {}
  waiting = 0

  constructor(scheduler: Scheduler, ends: WireEnds) {
    this.#scheduler = scheduler
    this.#ends = ends
    this.closed = this.#closedAtHost.promise
  }

  /** The host's end: who reads the client's lines. */
  serve(receive: (line: string) => void): void {
    this.#receive = receive
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  send(line: string): void {
    this.#toClient(line)
  }

  sendBytes(line: Uint8Array): void {
    this.#toClient(line)
  }

  drained(): Promise<void> {
    if (this.waiting === 0) return Promise.resolve()
    return new Promise((resolve) => this.#drained.push(resolve))
  }

  /** The host reads nothing meanwhile. */
  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    while (!this.#isPaused && this.#unread.length > 0) this.#receive(this.#unread.shift() ?? "")
  }

  end(): void {
    this.cut()
  }

  destroy(): void {
    this.cut()
  }

  /** From the client. */
  write(line: string): void {
    if (!this.#isOpen) return
    const delay = this.#delayTo("atHost")
    const arrive = () => {
      if (!this.#isOpen) return
      if (this.#isPaused) this.#unread.push(line)
      else this.#receive(line)
    }
    this.#scheduler.schedule(delay, arrive, this.#ends.host)
  }

  /** Lines on their way are lost, and both ends learn of it. */
  cut(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    const { client, host, onClosed } = this.#ends
    this.#scheduler.schedule(this.#scheduler.between(0.05, 2), () => this.#closedAtHost.resolve(), host)
    this.#scheduler.schedule(this.#scheduler.between(0.05, 2), onClosed, client)
  }

  /** The host has died: the system still delivers what it had sent, then closes. */
  hostDied(): void {
    if (!this.#isOpen) return
    const { client, onClosed } = this.#ends
    const close = () => {
      if (!this.#isOpen) return
      this.#isOpen = false
      onClosed()
    }
    this.#scheduler.schedule(this.#delayTo("atClient") + 0.1, close, client)
  }

  #toClient(line: string | Uint8Array): void {
    const { client, host, onLine, onSent } = this.#ends
    if (!this.#isOpen || host.state === "dead") return
    this.waiting += line.length
    onSent(line)
    const delay = this.#delayTo("atClient")
    const arrive = () => {
      if (!this.#isOpen) return
      this.waiting -= line.length
      if (this.waiting === 0 && this.#drained.length > 0) this.#scheduler.schedule(0, () => this.#resume(), host)
      onLine(line)
    }
    this.#scheduler.schedule(delay, arrive, client)
  }

  #resume(): void {
    for (const resolve of this.#drained.splice(0)) resolve()
  }

  /** Lines of one direction stay in order. */
  #delayTo(end: "atClient" | "atHost"): number {
    const { delayMs } = this.#ends
    const at = Math.max(this.#lastArrival[end], this.#scheduler.now + this.#scheduler.between(delayMs, delayMs * 2))
    this.#lastArrival = { ...this.#lastArrival, [end]: at }
    return at - this.#scheduler.now
  }
}
