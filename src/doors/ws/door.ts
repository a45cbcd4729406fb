// The WebSocket API (smooth-operator) on accepted sockets. Authentication and admission are the server's: this door
// gets a caller with each socket.
import { wsDoor } from "../../protocols/ws/conversation-encoder.ts"
import { decodeFrame } from "../../protocols/ws/codec.ts"
import { errors, refusalCodes } from "../../protocols/ws/errors.ts"
import { wsLimits } from "../../protocols/ws/limits.ts"
import type { OnText } from "../../transports/websocket.ts"
import { ActionQueue } from "./action-queue.ts"
import { Connection, type VisitorSocket } from "./connection.ts"
import type { Caller } from "./conversation-access.ts"
import { openConversations } from "./conversation.ts"
import type { Admission, SessionRequest, WsDoorDeps, WsDoorOptions } from "./door-options.ts"
import { SentMessages } from "./sent-messages.ts"

export { openWsDoor as open, refusalCodes as errors, wsLimits as limits }

export interface WsDoor {
  connect(id: string, socket: VisitorSocket, caller: Caller): OnText
  /** Refuses new messages and sessions from now on; running turns are delivered to their end. */
  drain(): void
  close(): void
  readonly framesOut: number
  /** Conversations that are watched now. */
  readonly watched: number
}

export function openWsDoor(options: WsDoorOptions): WsDoor {
  const limits = { ...wsLimits, ...options.limits }
  const { port, now, record = () => {}, admit = admitAsConnected } = options
  const by = { principal: "WebSocket API", door: wsDoor }
  const conversations = openConversations({ port, now, keepaliveMs: limits.keepaliveMs, by })
  const counters = { framesOut: 0 }
  const connections = new Set<Connection>()
  let isDraining = false
  const sent = new SentMessages()
  const isDrainingNow = () => isDraining
  const shared = { record, admit, limits, conversations, sent, counters, isDraining: isDrainingNow }
  const deps: WsDoorDeps = { ...options, ...shared }
  const idleTimer = setInterval(() => connections.forEach((connection) => connection.unwatchIdle()), limits.restMs / 2)
  idleTimer.unref()
  return {
    connect: (id, socket, caller) => {
      const connection = new Connection(id, socket, caller, deps)
      const actions = new ActionQueue(connection)
      connections.add(connection)
      void socket.closed.then(() => connections.delete(connection))
      return (text) => {
        if (caller.isValid?.() === false) return socket.close(1008, "the link was revoked")
        if (mayReceive(deps, caller)) actions.receive(text)
        else connection.sendError(requestIdIn(text), errors.tooManyFrames)
      }
    },
    drain: () => (isDraining = true),
    close: () => clearInterval(idleTimer),
    get framesOut() {
      return counters.framesOut
    },
    get watched() {
      return conversations.size
    },
  }
}

/** Characters of a refused frame that is still read for its request id. The id of a longer one is not returned. */
const MAX_REFUSED_FRAME = 16 * 1024

function admitAsConnected({ caller: { principal, org, owner } }: SessionRequest): Admission {
  return { principal, scope: { org, owner } }
}

function mayReceive({ allowances }: WsDoorDeps, { account }: Caller): boolean {
  return account === undefined || allowances === undefined || allowances.takeFrame(account)
}

function requestIdIn(text: string | undefined): string | undefined {
  if (text === undefined || text.length > MAX_REFUSED_FRAME) return undefined
  const decoded = decodeFrame(text)
  return decoded.kind === "action" ? decoded.action.requestId : undefined
}
