// For tests: a host behind the WebSocket API on a real port, and clients that keep what they receive. Every received frame
// is checked against the protocol.
import { randomUUID } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { WebSocket } from "ws"
import type { HostPort } from "../../contract/host-port.ts"
import { wsLimits } from "../../protocols/ws/limits.ts"
import type { WsDoorOptions } from "../../doors/ws/door-options.ts"
import { openWsDoor, type WsDoor } from "../../doors/ws/door.ts"
import type { Caller } from "../../doors/ws/conversation-access.ts"
import type { SessionHost, HostServices } from "../../host/session-host.ts"
import { newId } from "../../host/new-ids.ts"
import { ok } from "../../log/event-log.ts"
import type { ServerEvent, ServerEventOf } from "../../protocols/ws/frames.ts"
import { checks } from "../../protocols/ws/generated/answers.js"
import { checkServerEvent } from "../../protocols/ws/generated/events.js"
import { openUpgrades, type Upgrades } from "../../transports/websocket.ts"
import type { Step } from "../../models/offline/index.ts"
import { modeGate } from "../../runner/tools/gates.ts"
import { denyGate, noPaths, noRules, policyGate, type PolicyRules } from "../../features/approvals/effects/policy.ts"
import type { Tool } from "../../tools/tool.ts"
import { plainSession, testHost, type TestHost } from "../test-host.ts"
import { scriptedSource, type ScriptedSource } from "../scripted-source.ts"
import { portOf } from "./served-host.ts"
import { afterEach } from "vitest"

export interface ServedWs {
  readonly url: string
  readonly door: WsDoor
  readonly upgrades: Upgrades
  /** Warnings of the door. */
  readonly warnings: string[]
  connect(): Promise<WsClient>
  close(): Promise<void>
}

/** A host with a scripted model behind the door. */
export interface WsWorld extends TestHost {
  readonly served: ServedWs
  readonly source: ScriptedSource
  close(): Promise<void>
}

export async function wsWorld(
  steps: readonly Step[],
  tools: readonly Tool[] = [],
  rules: Partial<PolicyRules> = {},
  options: Partial<WsDoorOptions> = {},
  change: Partial<HostServices> = {},
): Promise<WsWorld> {
  const all = { ...noRules, ...rules }
  const source = scriptedSource(steps)
  const gates = [modeGate, denyGate(all, noPaths), policyGate(all, noPaths)]
  const tested = await testHost(source, tools, { gates, ...change })
  const served = await serveWs(servicePort(tested.host), options)
  const close = async () => {
    await served.close()
    await tested.host.close()
  }
  return { ...tested, served, source, close }
}

/** Creates service sessions. */
export function servicePort(host: SessionHost): HostPort {
  return portOf(host, {
    configureSession: async ({ cwd, origin, service }) => {
      const { org = "local", owner = "", agentId } = service ?? {}
      const limits = { stepsPerTurn: 20, depth: 0, children: 0 }
      return ok({ session: { ...plainSession, origin, org, owner, agentId, preset: "service", cwd, limits } })
    },
  })
}

export async function serveWs(
  port: HostPort,
  options: Partial<WsDoorOptions> = {},
  caller: Caller = { principal: "visitor", org: "public", owner: "", reach: "ownerless" },
): Promise<ServedWs> {
  const warnings: string[] = []
  const door = openWsDoor({
    port,
    place: { cwd: "/" },
    agentName: () => "smooth-agent",
    isAgent: () => true,
    callerDigest: (account) => account,
    mayChooseModel: async () => true,
    newId,
    newUuid: randomUUID,
    now: Date.now,
    warn: (sentence) => warnings.push(sentence),
    ...options,
  })
  const { frameBytes: maxFrameBytes, firstFrameBytes } = { ...wsLimits, ...options.limits }
  const upgrades = openUpgrades({ maxFrameBytes, firstFrameBytes })
  const server = createServer()
  server.on("upgrade", (request, socket, head) =>
    upgrades.accept(request, socket, head, (connected) => door.connect(newId(), connected, caller)),
  )
  const address = await new Promise<AddressInfo | string | null>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(server.address()))
  })
  const url = `ws://127.0.0.1:${typeof address === "object" ? address?.port : ""}/ws`
  const close = async () => {
    await upgrades.closeAll(1001, "the test is over")
    door.close()
    await new Promise((resolve) => server.close(resolve))
  }
  return { url, door, upgrades, warnings, connect: () => WsClient.open(url), close }
}

const ends: ReadonlySet<string> = new Set(["eventual_response", "error", "cancelled"])

export class WsClient {
  readonly socket: WebSocket
  readonly frames: ServerEvent[] = []
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
  #woken = Promise.withResolvers<void>()
  #isClosed = false

  static async open(url: string, headers: Readonly<Record<string, string>> = {}): Promise<WsClient> {
    const client = new WsClient(new WebSocket(url, { headers, rejectUnauthorized: false }))
    await new Promise((resolve, reject) => client.socket.once("open", resolve).once("error", reject))
    return client
  }

  private constructor(socket: WebSocket) {
    this.socket = socket
    this.closed = new Promise((resolve) => {
      socket.on("close", (code, reason) => {
        this.#isClosed = true
        resolve({ code, reason: reason.toString() })
        this.#wake()
      })
    })
    socket.on("error", () => {})
    socket.on("message", (data: Buffer) => this.#onMessage(data.toString()))
  }

  say(...frames: readonly (object | string)[]): void {
    for (const frame of frames) this.socket.send(typeof frame === "string" ? frame : JSON.stringify(frame))
  }

  async until<Value>(look: () => Value | undefined | false): Promise<Value> {
    for (;;) {
      const found = look()
      if (found !== undefined && found !== false) return found
      if (this.#isClosed) throw new Error(`the socket was closed after ${JSON.stringify(this.frames.at(-1))}`)
      await this.#woken.promise
    }
  }

  of(requestId: string | undefined): readonly ServerEvent[] {
    return this.frames.filter((frame) => ("requestId" in frame ? frame.requestId : undefined) === requestId)
  }

  types(requestId: string | undefined): readonly string[] {
    return this.of(requestId).map(({ type }) => type)
  }

  /** The first frame of a type, optionally of one request. */
  next<Type extends ServerEvent["type"]>(type: Type, requestId?: string): Promise<ServerEventOf<Type>> {
    return this.until(() =>
      this.frames.find(
        (frame): frame is ServerEventOf<Type> =>
          frame.type === type && (requestId === undefined || ("requestId" in frame && frame.requestId === requestId)),
      ),
    )
  }

  end(requestId: string): Promise<ServerEvent> {
    return this.until(() => this.of(requestId).find(({ type }) => ends.has(type)))
  }

  /** Resolves when everything sent before was answered. */
  async settled(): Promise<void> {
    const requestId = `ping-${this.frames.length}-${Math.random()}`
    this.say({ action: "ping", requestId })
    await this.next("pong", requestId)
  }

  /** The first answer to an action. */
  async ask(frame: { readonly action: string; readonly requestId: string; readonly [name: string]: unknown }) {
    this.say(frame)
    return this.until(() => this.of(frame.requestId)[0])
  }

  /** Opens a visit; returns its id and that of its conversation. */
  async create(change: Readonly<Record<string, unknown>> = {}): Promise<{ sessionId: string; conversationId: string }> {
    const requestId = `create-${Math.random()}`
    this.say({ action: "create_conversation_session", requestId, agentId: "a", ...change })
    const { data } = await this.next("immediate_response", requestId)
    if (!checks.created(data)) throw new Error(`not an answer to create_conversation_session: ${JSON.stringify(data)}`)
    return data
  }

  async close(): Promise<void> {
    this.socket.close()
    await this.closed
  }

  #onMessage(text: string): void {
    const frame: unknown = JSON.parse(text)
    if (!checkServerEvent(frame)) throw new Error(`not a frame of the protocol: ${text}`)
    this.frames.push(frame)
    this.#wake()
  }

  #wake(): void {
    this.#woken.resolve()
    this.#woken = Promise.withResolvers()
  }
}

/** Worlds that are closed after each test. Call once in a test file. */
export function wsWorlds(): typeof wsWorld {
  const worlds: WsWorld[] = []
  afterEach(async () => {
    for (const world of worlds.splice(0)) await world.close()
  })
  return async (...args) => {
    const world = await wsWorld(...args)
    worlds.push(world)
    return world
  }
}
