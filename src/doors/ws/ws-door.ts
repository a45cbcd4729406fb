// The network door: sockets come in, each is one connection over the House port. It knows no HTTP and no tokens: who is
// calling is told to it, and others decide whom an agent lets in and how much everybody may ask for.
import type { HousePort } from "../../contract/house-port.ts"
import type { SessionWish } from "../../contract/session-wish.ts"
import type { JsonValue } from "../../contract/values.ts"
import { wsDoor } from "../../protocols/ws/conversation-encoder.ts"
import { failure } from "../../protocols/ws/server-events.ts"
import type { ErrorCode } from "../../protocols/ws/frames.ts"
import { readFrame, type ActionName } from "../../protocols/ws/codec.ts"
import type { FlowingSocket, OnText, TextSocket } from "../../transports/websocket.ts"
import { Connection } from "./connection.ts"
import { Conversations } from "./conversation.ts"
import { wsLimits, type WsLimits } from "../../protocols/ws/limits.ts"
import { SentMessages } from "./sent-messages.ts"
import type { Caller, Scope } from "./conversation-access.ts"

/** One action for the log: who did it, how it went, and nothing of what was said. */
export interface ActionNote {
  readonly connection: string
  readonly principal: string
  readonly action: ActionName
  readonly requestId: string | undefined
  readonly outcome: ErrorCode | "ok"
  readonly ms: number
}

/** Somebody wants to come in to an agent. */
export interface Coming {
  readonly agentId: string
  readonly caller: Caller
  readonly authContext: JsonValue | undefined
}

/** As whom they come in, and whose a conversation is that they begin. */
export type Entry =
  | { readonly kind: "no"; readonly code: ErrorCode; readonly message: string }
  | { readonly kind: "yes"; readonly principal: string; readonly scope: Scope }

/** Each says whether there was something left. */
export interface WsAllowances {
  takeFrame(account: string): boolean
  takeSession(account: string): boolean
}

export interface WsDoorOptions {
  readonly port: HousePort
  /** What every new conversation has in common: its folder and its configuration. */
  readonly place: Pick<SessionWish, "cwd" | "configuration">
  /** What visitors are told the agent is called. */
  readonly agentName: (agentId: string) => string
  /** Whether there is such an agent. One that was removed from the configuration answers no more messages. */
  readonly isAgent: (agentId: string) => boolean
  /** Whether a visitor of this agent may run a turn on this model. */
  readonly mayChooseModel: (agentId: string, model: string) => Promise<boolean>
  /** What is stored of an account, which may be an address: nothing from which it could be found out. */
  readonly callerDigest: (account: string) => string
  readonly newId: () => string
  readonly newUuid: () => string
  readonly now: () => number
  readonly warn: (sentence: string) => void
  readonly note?: (note: ActionNote) => void
  /** Default: everybody, as who they are. */
  readonly admit?: (coming: Coming) => Entry
  readonly allowances?: WsAllowances
  readonly limits?: Partial<WsLimits>
}

export interface WsDoorDeps extends Omit<WsDoorOptions, "limits" | "note" | "admit"> {
  readonly limits: WsLimits
  readonly note: (note: ActionNote) => void
  readonly admit: (coming: Coming) => Entry
  readonly conversations: Conversations
  readonly sent: SentMessages
  readonly tally: { framesOut: number }
  /** Nothing new is begun any more. */
  readonly isLeaving: () => boolean
}

/** Frames of strangers are small; with a session come pictures and files. */
export type VisitorSocket = TextSocket & Pick<FlowingSocket, "raiseFrameLimit">

export interface WsDoor {
  connect(id: string, socket: VisitorSocket, caller: Caller): OnText
  /** From now on no message and no visitor is taken; what runs is told to its end. */
  leave(): void
  close(): void
  readonly framesOut: number
  /** Conversations that are followed now. */
  readonly followed: number
}

export function openWsDoor(options: WsDoorOptions): WsDoor {
  const limits = { ...wsLimits, ...options.limits }
  const { port, now, note = () => {}, admit = asTheyAre } = options
  const conversations = new Conversations(
    { port, now, keepaliveMs: limits.keepaliveMs },
    { principal: "the network door", door: wsDoor },
  )
  const tally = { framesOut: 0 }
  const connections = new Set<Connection>()
  let isLeaving = false
  const sent = new SentMessages()
  const deps: WsDoorDeps = { ...options, note, admit, limits, conversations, sent, tally, isLeaving: () => isLeaving }
  const resting = setInterval(() => connections.forEach((connection) => connection.rest()), limits.restMs / 2)
  resting.unref()
  return {
    connect: (id, socket, caller) => {
      const connection = new Connection(id, socket, caller, deps)
      connections.add(connection)
      void socket.closed.then(() => connections.delete(connection))
      return (text) => {
        if (caller.isGood?.() === false) return socket.close(1008, "the link was revoked")
        if (mayAsk(deps, caller)) connection.receive(text)
        else connection.say(failure(requestIdIn(text, now()), "RATE_LIMITED", tooManyWords, now()))
      }
    },
    leave: () => (isLeaving = true),
    close: () => clearInterval(resting),
    get framesOut() {
      return tally.framesOut
    },
    get followed() {
      return conversations.size
    },
  }
}

const tooManyWords = "too many frames; wait a moment"
/** A frame that is not taken is read only for its id, and only if that costs nothing. */
const quicklyRead = 16 * 1024

function asTheyAre({ caller: { principal, org, owner } }: Coming): Entry {
  return { kind: "yes", principal, scope: { org, owner } }
}

function mayAsk({ allowances }: WsDoorDeps, { account }: Caller): boolean {
  return account === undefined || allowances === undefined || allowances.takeFrame(account)
}

function requestIdIn(text: string | undefined, now: number): string | undefined {
  if (text === undefined || text.length > quicklyRead) return undefined
  const received = readFrame(text, now)
  return received.kind === "action" ? received.action.requestId : undefined
}
