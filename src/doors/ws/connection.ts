// One socket of the WebSocket API: its caller, the conversations it watches and its turn. A socket has one turn at a
// time, its own or one that it joined. The turn does not end with the socket.
import type { SessionHandle } from "../../contract/host-port.ts"
import type { ApprovalId, PromptId, SessionId, TurnId } from "../../contract/ids.ts"
import type { Refusal } from "../../contract/refusals.ts"
import type { JsonValue, Who } from "../../contract/values.ts"
import type { ActionName } from "../../protocols/ws/action-names.ts"
import type { ActionInput } from "../../protocols/ws/actions.ts"
import { type ConversationEncoder, wsDoor } from "../../protocols/ws/conversation-encoder.ts"
import type { WsError } from "../../protocols/ws/errors.ts"
import type { ServerEvent } from "../../protocols/ws/frames.ts"
import { errorEvent, immediateResponse } from "../../protocols/ws/server-events.ts"
import type { FlowingSocket, TextSocket } from "../../transports/websocket.ts"
import type { Outbox } from "../core/outbox.ts"
import { ConversationAccess, type Caller } from "./conversation-access.ts"
import type { Follower } from "./conversation.ts"
import type { WsDoorDeps } from "./door-options.ts"
import { Frame, openOutbox } from "./outbox.ts"
import type { Traffic } from "./sent-messages.ts"

/** The frame limit is low until a session exists; images and files come later. */
export type VisitorSocket = TextSocket & Pick<FlowingSocket, "raiseFrameLimit">

/** Handles one action: responds, or returns the error to send. */
export type ActionHandler<Name extends ActionName> = (
  connection: Connection,
  input: ActionInput<Name>,
  requestId: string | undefined,
) => Promise<WsError | void>

/** A conversation that this socket watches, and a handle to send commands as its caller. */
export interface Joined {
  readonly conversation: ConversationEncoder
  readonly handle: SessionHandle
  readonly leave: () => void
  usedAt: number
  /** The last confirmation that this socket sent. */
  confirmed?: ApprovalId
  /** The card in the frames with which it joined a running turn: on this socket it replaced no other. */
  firstShown?: ApprovalId | undefined
}

/** The turn of this socket: of its own prompt, or one that it joined. */
export interface ActiveTurn extends Pick<Joined, "conversation" | "handle"> {
  /** The client's id for it. */
  readonly requestId: string
  readonly promptId: PromptId | undefined
  readonly turnId: TurnId | undefined
  /** Cancelled before its turn id was known. */
  cancelRequested?: boolean
}

export class Connection implements Follower {
  readonly id: string
  readonly deps: WsDoorDeps
  /** As connected, then as admitted to an agent. */
  caller: Caller
  activeTurn: ActiveTurn | undefined
  /** Read also after the socket has closed. */
  readonly traffic: Traffic = { frames: 0, isClosed: false }
  /** Number of the frame whose action runs now. */
  actionFrame = 0
  pendingActions = 0
  readonly #outbox: Outbox<Frame>
  readonly #socket: VisitorSocket
  readonly #joined: Joined[] = []
  #access: ConversationAccess | undefined
  /** Turn frames that wait for the response to an action. */
  #held: Frame[] | undefined

  constructor(id: string, socket: VisitorSocket, caller: Caller, deps: WsDoorDeps) {
    this.id = id
    this.#socket = socket
    this.caller = caller
    this.deps = deps
    this.#outbox = openOutbox(socket, deps.limits)
    void socket.closed.then(() => this.#onClosed())
  }

  /** Created on first use, so that an idle socket costs little memory. */
  get access(): ConversationAccess {
    return (this.#access ??= new ConversationAccess(this.deps.port, this.caller, () => this.#socket.raiseFrameLimit()))
  }

  get now(): number {
    return this.deps.now()
  }

  get by(): Who {
    return { principal: this.caller.principal, door: wsDoor, roles: ["watch", "drive"] }
  }

  get isClosed(): boolean {
    return this.traffic.isClosed
  }

  send(event: ServerEvent): void {
    this.#enqueue(new Frame(event))
  }

  respond(requestId: string | undefined, message: string, data: Record<string, JsonValue>, status = 200): void {
    this.send(immediateResponse(requestId, status, message, data, this.now))
  }

  sendError(requestId: string | undefined, error: WsError): void {
    this.send(errorEvent(requestId, error, this.now))
  }

  /** Watches the conversation from now on. */
  async join(sessionId: SessionId): Promise<Joined | Refusal> {
    const known = this.#joined.find(({ conversation }) => conversation.sessionId === sessionId)
    if (known !== undefined) {
      known.usedAt = this.now
      return known
    }
    const opened = await this.deps.port.open(sessionId, this.by)
    if (opened.kind === "refused") return opened.refusal
    const shared = this.deps.conversations.of(sessionId)
    const watched = await shared.join(this)
    if (watched.kind === "refused") return watched.refusal
    const leave = () => shared.leave(this)
    const joined = { conversation: watched.live.view, handle: opened.handle, leave, usedAt: this.now }
    if (this.isClosed) leave()
    else this.#joined.push(joined)
    return joined
  }

  /** Undefined if the visit does not exist for this caller, or its session cannot be opened. */
  async joinVisit(visitId: string): Promise<Joined | undefined> {
    const visit = await this.access.visit(visitId)
    const joined = visit === undefined ? undefined : await this.join(visit.sessionId)
    return joined === undefined || "code" in joined ? undefined : joined
  }

  /** Stops watching conversations without recent frames, so that idle sockets cost little. */
  unwatchIdle(): void {
    const before = this.now - this.deps.limits.restMs
    for (const joined of this.#joined.filter(({ usedAt }) => usedAt <= before)) {
      if (this.activeTurn?.conversation === joined.conversation || this.pendingActions > 0) continue
      this.#joined.splice(this.#joined.indexOf(joined), 1)
      joined.leave()
    }
  }

  follows(turnId: TurnId | undefined, promptIds: ReadonlySet<PromptId>): boolean {
    const { activeTurn } = this
    if (activeTurn === undefined) return false
    if (activeTurn.turnId !== undefined && activeTurn.turnId === turnId) return true
    return activeTurn.promptId !== undefined && promptIds.has(activeTurn.promptId)
  }

  /** Sends frames of the active turn; `ends` with its last one. */
  deliver(frames: readonly Frame[], ends: boolean): void {
    const { activeTurn } = this
    if (ends) this.activeTurn = undefined
    else if (activeTurn?.cancelRequested === true) this.#interrupt(activeTurn)
    if (this.#held !== undefined) this.#held.push(...frames)
    else for (const frame of frames) this.#enqueue(frame)
  }

  /** Another host owns the session, or it was closed: the client can reconnect to its turn. */
  lost(): void {
    this.#socket.close(1012, "come back to the conversation")
  }

  /** Holds turn frames back until the running action has ended: its response comes first. */
  hold(): void {
    this.#held ??= []
  }

  release(): void {
    const held = this.#held ?? []
    this.#held = undefined
    for (const frame of held) this.#enqueue(frame)
  }

  #enqueue(frame: Frame): void {
    this.deps.counters.framesOut += 1
    this.#outbox.offer(frame)
  }

  #interrupt(activeTurn: ActiveTurn): void {
    activeTurn.cancelRequested = false
    const failed = (fault: unknown) => this.deps.warn(`a turn could not be interrupted: ${String(fault)}`)
    const turnId = activeTurn.conversation.turn?.turnId
    if (turnId !== undefined) activeTurn.handle.send({ type: "interrupt", turnId }).catch(failed)
  }

  #onClosed(): void {
    this.traffic.isClosed = true
    for (const { leave } of this.#joined.splice(0)) leave()
  }
}
