// A conversation that somebody at this door follows: one watch and one view for all of its sockets. Whoever joins is
// told the running turn from its beginning and then everything live, with no gap and no repeat, because both happen in
// one step. A turn needs nobody to watch it.
import type { HousePort, SessionHandle, WatchItem } from "../../contract/house-port.ts"
import type { PromptId, SessionId, TurnId } from "../../contract/ids.ts"
import type { Refusal } from "../../contract/refusals.ts"
import type { By, JsonValue } from "../../contract/values.ts"
import { ConversationView } from "../../protocols/ws/conversation-encoder.ts"
import { keepalive } from "../../protocols/ws/server-events.ts"
import { Frame } from "./outbox.ts"

/** Somebody who is told: their own prompts, and turns that they joined. */
export interface Follower {
  follows(turnId: TurnId | undefined, promptIds: ReadonlySet<PromptId>): boolean
  tell(frames: readonly Frame[], ends: boolean): void
  /** Nothing more can be told. */
  lost(refusal: Refusal): void
}

export interface ConversationDeps {
  readonly port: HousePort
  readonly now: () => number
  readonly keepaliveMs: number
  /** Nobody follows it any more, or it cannot be followed. */
  readonly onOver: () => void
}

export class Conversation {
  readonly handle: SessionHandle
  readonly view: ConversationView
  readonly #deps: ConversationDeps
  readonly #followers = new Set<Follower>()
  #unwatch: () => void = () => {}
  #lostBy: Refusal | undefined
  #pulse: NodeJS.Timeout | undefined

  /** From the end of the last turn: what came before it is told to nobody. */
  static async open(handle: SessionHandle, deps: ConversationDeps): Promise<Conversation | Refusal> {
    const scene = await deps.port.query({ type: "scene", sessionId: handle.sessionId, turns: 1 })
    const conversation = new Conversation(handle, deps)
    const cursor = scene.kind === "answer" ? restingPlace(scene.value) : 0
    conversation.#unwatch = await handle.watch(cursor, (item) => conversation.#hear(item))
    return conversation.#lostBy ?? conversation
  }

  private constructor(handle: SessionHandle, deps: ConversationDeps) {
    this.handle = handle
    this.view = new ConversationView(handle.sessionId)
    this.#deps = deps
  }

  get sessionId(): SessionId {
    return this.handle.sessionId
  }

  add(follower: Follower): void {
    this.#followers.add(follower)
  }

  remove(follower: Follower): void {
    if (this.#followers.delete(follower) && this.#followers.size === 0) this.#end()
  }

  /** The running turn so far, for somebody who comes in now. */
  soFar(): readonly Frame[] {
    return (this.view.turn?.told ?? []).map((event) => new Frame(event))
  }

  #hear(item: WatchItem): void {
    if (item.kind === "lost") return this.#lose(item.refusal)
    const told = this.view.tell(item, this.#deps.now())
    this.#beat()
    if (told === undefined) return
    const frames = told.events.map((event) => new Frame(event))
    for (const follower of this.#followers)
      if (follower.follows(told.turnId, told.promptIds)) follower.tell(frames, told.ends)
  }

  /** Whoever asks for it next gets a new one. */
  #lose(refusal: Refusal): void {
    this.#lostBy = refusal
    this.#end()
    for (const follower of this.#followers) follower.lost(refusal)
  }

  #end(): void {
    this.#unwatch()
    clearInterval(this.#pulse)
    this.#deps.onOver()
  }

  /** While only others are asked, the visitor hears that the turn lives. */
  #beat(): void {
    if (this.view.waitsForStaff && this.#pulse === undefined) {
      this.#pulse = setInterval(() => this.#live(), this.#deps.keepaliveMs)
      this.#pulse.unref()
    } else if (!this.view.waitsForStaff && this.#pulse !== undefined) {
      clearInterval(this.#pulse)
      this.#pulse = undefined
    }
  }

  #live(): void {
    const { turn } = this.view
    if (turn === undefined) return
    const frames = [new Frame(keepalive(turn.requestId, this.#deps.now()))]
    for (const follower of this.#followers)
      if (follower.follows(turn.turnId, turn.promptIds)) follower.tell(frames, false)
  }
}

/** Conversations that are followed now, each once. */
export class Conversations {
  readonly #deps: Omit<ConversationDeps, "onOver">
  readonly #by: By
  readonly #open = new Map<SessionId, Promise<Conversation | Refusal>>()

  constructor(deps: Omit<ConversationDeps, "onOver">, by: By) {
    this.#deps = deps
    this.#by = by
  }

  get size(): number {
    return this.#open.size
  }

  /** With the follower inside: one that is empty is given up. */
  async join(sessionId: SessionId, follower: Follower): Promise<Conversation | Refusal> {
    const opening = this.#open.get(sessionId) ?? this.#begin(sessionId)
    const conversation = await opening
    if (!(conversation instanceof Conversation)) return conversation
    if (this.#open.get(sessionId) !== opening) return this.join(sessionId, follower) // given up meanwhile
    conversation.add(follower)
    return conversation
  }

  #begin(sessionId: SessionId): Promise<Conversation | Refusal> {
    const forget = () => this.#open.get(sessionId) === opening && this.#open.delete(sessionId)
    const opening = this.#openNow(sessionId, forget)
    this.#open.set(sessionId, opening)
    opening.then((opened) => opened instanceof Conversation || forget(), forget)
    return opening
  }

  async #openNow(sessionId: SessionId, onOver: () => void): Promise<Conversation | Refusal> {
    const opened = await this.#deps.port.open(sessionId, this.#by)
    return opened.kind === "refused" ? opened.refusal : Conversation.open(opened.handle, { ...this.#deps, onOver })
  }
}

function restingPlace(scene: JsonValue): number {
  const seq = typeof scene === "object" && scene !== null && "restSeq" in scene ? scene["restSeq"] : undefined
  return typeof seq === "number" ? seq : 0
}
