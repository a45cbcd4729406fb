// The WebSocket API (smooth-operator) as a target, in this process: text and binary frames.
import { randomUUID } from "node:crypto"
import { doors } from "../../../../doors/table.ts"
import type { Caller } from "../../../../doors/ws/conversation-access.ts"
import type { VisitorSocket } from "../../../../doors/ws/connection.ts"
import type { WsDoor } from "../../../../doors/ws/door.ts"
import { newId } from "../../../../host/new-ids.ts"
import { visitorMayChoose } from "../../../../server/visitor-models.ts"
import type { FuzzTarget, TargetPlace } from "../fuzz-target.ts"
import type { ByteChannel } from "./byte-channel.ts"
import { FuzzedHost, fuzzedConfig } from "./fuzzed-host.ts"
import { FuzzingVisitor, textOf, wsSeeds, wsWords } from "./ws-client.ts"

const caller: Caller = { principal: "visitor", org: "public", owner: "", reach: "ownerless" }

export async function openTarget(place: TargetPlace): Promise<FuzzTarget> {
  const host = await FuzzedHost.open(place, "serve")
  const door = await openDoor(host)
  const client = new FuzzingVisitor({
    connect: async (onText) => channelTo(door, onText),
    report: host.report,
    throwReported: () => host.throwReported(),
  })
  return {
    name: "ws",
    seeds: wsSeeds,
    words: wsWords,
    modules: ["doors/ws/", "doors/core/", "protocols/ws/"],
    run: (input) => client.run(input),
    check: () => client.check(),
    close: async () => {
      client.close()
      door.close()
      await host.close()
    },
  }
}

async function openDoor(host: FuzzedHost): Promise<WsDoor> {
  const { port, models } = host.running
  const { open } = await doors.ws.load()
  return open({
    port,
    place: { cwd: host.cwd },
    agentName: () => "smooth-agent",
    isAgent: (agentId) => Object.hasOwn(fuzzedConfig.agents, agentId),
    mayChooseModel: (agentId, model) => visitorMayChoose({ agents: fuzzedConfig.agents, models }, agentId, model),
    callerDigest: (account) => account,
    newId,
    newUuid: randomUUID,
    now: Date.now,
    warn: (message) => host.report("action", message),
  })
}

function channelTo(door: WsDoor, onText: (text: string) => void): ByteChannel {
  const socket = new FrameSocket(onText)
  const receive = door.connect(newId(), socket, caller)
  return {
    write: async (bytes) => {
      receive(textOf(bytes)) // bytes that are not text come as a binary frame
      return true
    },
    get isClosed() {
      return !socket.isOpen
    },
    closed: socket.closed,
    close: () => socket.close(),
  }
}

/** A socket without a network: the visitor reads everything at once. */
class FrameSocket implements VisitorSocket {
  isOpen = true
  readonly waiting = 0
  readonly closed: Promise<void>
  readonly #closed = Promise.withResolvers<void>()
  readonly #onText: (text: string) => void

  constructor(onText: (text: string) => void) {
    this.#onText = onText
    this.closed = this.#closed.promise
  }

  send(text: string): void {
    if (this.isOpen) this.#onText(text)
  }

  drained(): Promise<void> {
    return Promise.resolve()
  }

  raiseFrameLimit(): void {} // no frame is too large for memory

  close(): void {
    this.isOpen = false
    this.#closed.resolve()
  }
}
