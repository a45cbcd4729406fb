// One socket of the network door: actions in, answers and turns out. It has one turn at a time, its own or one that it
// joined; when it goes, the turn stays. What follows from an action is told after its answer, never before.
import type { SessionHandle } from "../../contract/house-port.ts"
import type { ApprovalId, PromptId, SessionId, TurnId } from "../../contract/ids.ts"
import type { Refusal } from "../../contract/refusals.ts"
import type { JsonValue, Who } from "../../contract/values.ts"
import { wsDoor } from "../../protocols/ws/conversation-encoder.ts"
import { answered, failure } from "../../protocols/ws/server-events.ts"
import type { ErrorCode, ServerEvent } from "../../protocols/ws/frames.ts"
import { readFrame, type ClientAction } from "../../protocols/ws/codec.ts"
import { handlers } from "./actions/handlers.ts"
import { Conversation, type Follower } from "./conversation.ts"
import { Frame, Outbox } from "./outbox.ts"
import type { Traffic } from "./sent-messages.ts"
import { Registry, type Caller } from "./conversation-access.ts"
import type { VisitorSocket, WsDoorDeps } from "./ws-door.ts"

/** A conversation that this socket has to do with, and the way to speak in it as whoever is at the socket. */
export interface Joined {
  readonly conversation: Conversation
  readonly handle: SessionHandle
  usedAt: number
  /** The last confirmation that this socket gave here. */
  confirmed?: ApprovalId
}

/** The turn of this socket: one of its own prompts, or one that ran when it came in. */
export interface Slot extends Pick<Joined, "conversation" | "handle"> {
  /** What its client calls it. */
  readonly requestId: string
  readonly promptId: PromptId | undefined
  readonly turnId: TurnId | undefined
  /** It is to be cut off as soon as it is known which turn it is. */
  isUnwanted?: boolean
}

const binaryWords = "binary frames are not understood"
const tooManyWords = "too many actions at once; wait for answers"

export class Connection implements Follower {
  readonly id: string
  readonly deps: WsDoorDeps
  /** As whom they came, and since they came in to an agent, as whom that was. */
  caller: Caller
  slot: Slot | undefined
  /** Known of this socket after it has closed, too. */
  readonly traffic: Traffic = { frames: 0, isClosed: false }
  /** Which frame the action is that is carried out now. */
  actionFrame = 0
  readonly #outbox: Outbox
  readonly #socket: VisitorSocket
  readonly #joined: Joined[] = []
  #registry: Registry | undefined
  /** Frames of turns that wait for the answer to an action. */
  #held: Frame[] | undefined
  #inOrder: Promise<void> = Promise.resolve()
  #underWay = 0
  #isGone = false
  /** How the action that is carried out now was refused. */
  #refusedAs: ErrorCode | undefined

  constructor(id: string, socket: VisitorSocket, caller: Caller, deps: WsDoorDeps) {
    this.id = id
    this.#socket = socket
    this.caller = caller
    this.deps = deps
    this.#outbox = new Outbox(socket, deps.limits)
    void socket.closed.then(() => this.#leave())
  }

  /** There when something is first asked of it: a socket on which nothing is said costs little. */
  get registry(): Registry {
    return (this.#registry ??= new Registry(this.deps.port, this.caller, () => this.#socket.raiseFrameLimit()))
  }

  get now(): number {
    return this.deps.now()
  }

  get by(): Who {
    return { principal: this.caller.principal, door: wsDoor, roles: ["watch", "drive"] }
  }

  receive(text: string | undefined): void {
    this.traffic.frames += 1
    if (text === undefined) return this.say(failure(undefined, "VALIDATION_ERROR", binaryWords, this.now))
    const received = readFrame(text, this.now)
    if (received.kind === "no") return this.say(received.event)
    const { action } = received
    if (this.#underWay < this.deps.limits.actionsAtOnce) return this.#begin(action)
    this.say(failure(action.requestId, "RATE_LIMITED", tooManyWords, this.now))
  }

  say(event: ServerEvent): void {
    this.#send(new Frame(event))
  }

  answer(requestId: string | undefined, message: string, data: Record<string, JsonValue>, status = 200): void {
    this.say(answered(requestId, status, message, data, this.now))
  }

  fail(requestId: string | undefined, code: ErrorCode, message: string): void {
    this.#refusedAs = code
    this.say(failure(requestId, code, message, this.now))
  }

  /** The conversation, which is followed from here on. */
  async join(sessionId: SessionId): Promise<Joined | Refusal> {
    const known = this.#joined.find(({ conversation }) => conversation.sessionId === sessionId)
    if (known !== undefined) {
      known.usedAt = this.now
      return known
    }
    const opened = await this.deps.port.open(sessionId, this.by)
    if (opened.kind === "refused") return opened.refusal
    const conversation = await this.deps.conversations.join(sessionId, this)
    if (!(conversation instanceof Conversation)) return conversation
    const joined = { conversation, handle: opened.handle, usedAt: this.now }
    if (this.#isGone) conversation.remove(this)
    else this.#joined.push(joined)
    return joined
  }

  /** Conversations in which nothing happened for a while are not followed any more: idle sockets cost little. */
  rest(): void {
    const before = this.now - this.deps.limits.restMs
    for (const joined of this.#joined.filter(({ usedAt }) => usedAt <= before)) {
      if (this.slot?.conversation === joined.conversation || this.#underWay > 0) continue
      this.#joined.splice(this.#joined.indexOf(joined), 1)
      joined.conversation.remove(this)
    }
  }

  follows(turnId: TurnId | undefined, promptIds: ReadonlySet<PromptId>): boolean {
    const { slot } = this
    if (slot === undefined) return false
    if (slot.turnId !== undefined && slot.turnId === turnId) return true
    return slot.promptId !== undefined && promptIds.has(slot.promptId)
  }

  tell(frames: readonly Frame[], ends: boolean): void {
    const { slot } = this
    if (ends) this.slot = undefined
    else if (slot?.isUnwanted === true) this.#cutOff(slot)
    if (this.#held !== undefined) this.#held.push(...frames)
    else for (const frame of frames) this.#send(frame)
  }

  /** The conversation is out of reach: its turn goes on elsewhere or is stored, and the client can come back to it. */
  lost(): void {
    this.#socket.close(1012, "come back to the conversation")
  }

  /** Everything that the work leads to is told after what it says itself. */
  async holding(work: () => Promise<void>): Promise<void> {
    this.#held = []
    try {
      await work()
    } finally {
      const held = this.#held
      this.#held = undefined
      for (const frame of held) this.#send(frame)
    }
  }

  #send(frame: Frame): void {
    this.deps.tally.framesOut += 1
    this.#outbox.tell(frame)
  }

  #cutOff(slot: Slot): void {
    slot.isUnwanted = false
    const failed = (fault: unknown) => this.deps.warn(`a turn could not be cut off: ${String(fault)}`)
    const turnId = slot.conversation.view.turn?.turnId
    if (turnId !== undefined) slot.handle.send({ type: "interrupt", turnId }).catch(failed)
  }

  /** Actions are begun in the order in which they came, and each is carried out before the next. */
  #begin(action: ClientAction): void {
    this.#underWay += 1
    const frame = this.traffic.frames
    this.#inOrder = this.#inOrder.then(() => this.#carryOut(action, frame))
  }

  async #carryOut(action: ClientAction, frame: number): Promise<void> {
    const begunAt = this.now
    this.actionFrame = frame
    this.#refusedAs = undefined
    if (!this.#isGone) await this.#handle(action)
    this.#underWay -= 1
    this.deps.note({
      connection: this.id,
      principal: this.caller.principal,
      action: action.action,
      requestId: action.requestId,
      outcome: this.#refusedAs ?? "ok",
      ms: this.now - begunAt,
    })
  }

  async #handle(action: ClientAction): Promise<void> {
    try {
      await handlers[action.action](this, action)
    } catch (fault) {
      const detail = fault instanceof Error ? (fault.stack ?? fault.message) : String(fault)
      this.deps.warn(`the action '${action.action}' failed: ${detail}`)
      this.fail(action.requestId, "INTERNAL_ERROR", "Something went wrong. Please try again.")
    }
  }

  #leave(): void {
    this.#isGone = true
    this.traffic.isClosed = true
    for (const { conversation } of this.#joined.splice(0)) conversation.remove(this)
  }
}
