// A server from the first request to the last. The address is bound first and the engine is loaded afterwards, while
// the first visitors wait at the door; asked to leave, it lets running turns end and says so to whoever looks.
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { openHttpDoor, type HttpDoor, type Reply, type RequestNote } from "../../doors/http/http-door.ts"
import { CliFault } from "../cli-fault.ts"
import type { Args } from "../command.ts"
import { exitCodes } from "../exit-codes.ts"
import { wishOf } from "../run/session-wish.ts"
import { onSignals } from "../run/signals.ts"
import type { Surroundings } from "../surroundings.ts"
import { say } from "../terminal.ts"
import { AccessLog } from "./access-log.ts"
import { urlOf, type Address } from "./address.ts"
import type { NetworkDoor } from "./network-door.ts"

const hangUp = 1
const healthy: Reply = { status: 200, text: "ok" }
const starting: Reply = { status: 503, text: "starting" }
const leaving: Reply = { status: 503, text: "leaving" }
const probes: ReadonlySet<string> = new Set(["/health", "/healthz", "/readyz"])

export class Server {
  readonly #args: Args
  readonly #around: Surroundings
  readonly #log: AccessLog
  readonly #asked = Promise.withResolvers<"asked">()
  readonly #opening = Promise.withResolvers<NetworkDoor>()
  #door: NetworkDoor | undefined
  #http: HttpDoor | undefined
  #isLeaving = false
  #requests = 0

  constructor(args: Args, around: Surroundings) {
    this.#args = args
    this.#around = around
    this.#log = new AccessLog(process.stderr, args.flag("quiet"), Date.now)
    onSignals((number) => this.#hear(number))
  }

  async listen({ host, port }: Address): Promise<void> {
    try {
      this.#http = await openHttpDoor({
        host,
        port,
        origins: this.#around.config.server?.origins ?? [],
        routes: {
          "/health": () => healthy,
          "/healthz": () => healthy,
          "/readyz": () => this.#readiness(),
          "/metrics": () => this.#metrics(),
        },
        upgradePath: "/ws",
        upgrade: (request, socket, head) => this.#upgrade(request, socket, head),
        note: (note) => this.#note(note),
        newId: () => `req_${(this.#requests += 1)}`,
        now: Date.now,
      })
    } catch (fault) {
      throw explained(fault, host, port)
    }
    process.stdout.write(`listening on ${urlOf(host, this.#http.port)}\n`)
  }

  /** Until it is asked to leave. */
  async serve(graceMs: number): Promise<number> {
    const door = await this.#open().catch(async (fault: unknown) => {
      await this.#http?.close()
      throw fault
    })
    const end = await Promise.race([this.#asked.promise, door.running.house.lost.then(() => "lost" as const)])
    if (end === "lost") {
      say("turnhouse: another host has taken the sessions over; this one ends")
      process.exit(exitCodes.failed)
    }
    await door.leave(graceMs)
    await this.#http?.close()
    this.#log.flush()
    return exitCodes.done
  }

  /** A second signal ends it at once, and the reaper cleans up. A window that closes is no reason to go. */
  #hear(signal: number): void {
    if (signal === hangUp) return
    if (this.#isLeaving) process.exit(128 + signal)
    this.#isLeaving = true
    this.#asked.resolve("asked")
  }

  async #open(): Promise<NetworkDoor> {
    const { NetworkDoor: Door } = await import("./network-door.ts")
    const { cwd, configuration } = wishOf(this.#args, { cwd: this.#around.cwd, origin: "ws" })
    const place = configuration === undefined ? { cwd } : { cwd, configuration }
    this.#door = await Door.open({ around: this.#around, place, log: this.#log })
    this.#opening.resolve(this.#door)
    return this.#door
  }

  /** Whoever comes before the engine is there waits for it. */
  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Reply | undefined {
    if (this.#isLeaving) return leaving
    if (this.#door === undefined) void this.#opening.promise.then((door) => door.accept(request, socket, head))
    else this.#door.accept(request, socket, head)
    return undefined
  }

  async #readiness(): Promise<Reply> {
    if (this.#isLeaving) return leaving
    if (this.#door === undefined) return starting
    return (await this.#door.canWrite()) ? healthy : { status: 503, text: "the log cannot be written" }
  }

  async #metrics(): Promise<Reply> {
    if (this.#door === undefined) return starting
    const metrics = await this.#door.metrics()
    return { status: 200, text: (await metrics.text()).trimEnd(), type: metrics.type }
  }

  #note({ status, path, ...note }: RequestNote): void {
    if (status === 200 && probes.has(path)) return // they come every few seconds, and say nothing
    this.#log.write({ event: "request", principal: "visitor", ...note, path, outcome: status })
  }
}

function explained(fault: unknown, host: string, port: number): unknown {
  const code = fault instanceof Error && "code" in fault ? fault.code : undefined
  if (code === "EADDRINUSE")
    return new CliFault(`port ${port} on ${host} is taken; choose another with --port, or 0 for any`, exitCodes.failed)
  if (code === "EACCES")
    return new CliFault(`port ${port} may not be used by you; choose one above 1023 with --port`, exitCodes.failed)
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return new CliFault(`${host} is no address of this machine; use --host 127.0.0.1`, exitCodes.failed)
  return fault
}
