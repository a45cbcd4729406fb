// A conversation that sockets of this door watch, with one watch and one encoder for all of them. A socket that joins
// gets the running turn from its beginning and then live frames, without gap or repeat.
import type { HostPort, SessionHandle, WatchItem } from "../../contract/host-port.ts"
import type { PromptId, SessionId, TurnId } from "../../contract/ids.ts"
import type { Refusal } from "../../contract/refusals.ts"
import type { By, JsonValue } from "../../contract/values.ts"
import { ConversationEncoder } from "../../protocols/ws/conversation-encoder.ts"
import { keepalive } from "../../protocols/ws/server-events.ts"
import { Frame } from "./outbox.ts"

/** A socket that receives the turns of its own prompts and those that it joined. */
export interface Follower {
  follows(turnId: TurnId | undefined, promptIds: ReadonlySet<PromptId>): boolean
  deliver(frames: readonly Frame[], ends: boolean): void
  /** The conversation can no longer be watched. */
  lost(refusal: Refusal): void
}

export interface ConversationDeps {
  readonly port: HostPort
  readonly now: () => number
  readonly keepaliveMs: number
  /** No socket watches it any more, or it cannot be watched. */
  readonly onOver: () => void
}

export class Conversation {
  readonly handle: SessionHandle
  readonly encoder: ConversationEncoder
  readonly #deps: ConversationDeps
  readonly #followers = new Set<Follower>()
  #unwatch: () => void = () => {}
  #lostBy: Refusal | undefined
  #keepalive: NodeJS.Timeout | undefined

  /** Watches from the end of the last turn: earlier events have no frames. */
  static async open(handle: SessionHandle, deps: ConversationDeps): Promise<Conversation | Refusal> {
    const scene = await deps.port.query({ type: "scene", sessionId: handle.sessionId, turns: 1 })
    const conversation = new Conversation(handle, deps)
    const cursor = scene.kind === "answer" ? restingPlace(scene.value) : 0
    conversation.#unwatch = await handle.watch(cursor, (item) => conversation.#onItem(item))
    return conversation.#lostBy ?? conversation
  }

  private constructor(handle: SessionHandle, deps: ConversationDeps) {
    this.handle = handle
    this.encoder = new ConversationEncoder(handle.sessionId)
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

  /** The running turn so far, for a socket that joins now. */
  soFar(): readonly Frame[] {
    return (this.encoder.turn?.sent ?? []).map((event) => new Frame(event))
  }

  #onItem(item: WatchItem): void {
    if (item.kind === "lost") return this.#lose(item.refusal)
    const encoded = this.encoder.encode(item, this.#deps.now())
    this.#updateKeepalive()
    if (encoded === undefined) return
    const frames = encoded.events.map((event) => new Frame(event))
    for (const follower of this.#followers)
      if (follower.follows(encoded.turnId, encoded.promptIds)) follower.deliver(frames, encoded.ends)
  }

  /** The next socket that joins opens it again. */
  #lose(refusal: Refusal): void {
    this.#lostBy = refusal
    this.#end()
    for (const follower of this.#followers) follower.lost(refusal)
  }

  #end(): void {
    this.#unwatch()
    clearInterval(this.#keepalive)
    this.#deps.onOver()
  }

  /** Sends `keepalive` while the turn waits only for staff. */
  #updateKeepalive(): void {
    if (this.encoder.waitsForStaff && this.#keepalive === undefined) {
      this.#keepalive = setInterval(() => this.#sendKeepalive(), this.#deps.keepaliveMs)
      this.#keepalive.unref()
    } else if (!this.encoder.waitsForStaff && this.#keepalive !== undefined) {
      clearInterval(this.#keepalive)
      this.#keepalive = undefined
    }
  }

  #sendKeepalive(): void {
    const { turn } = this.encoder
    if (turn === undefined) return
    const frames = [new Frame(keepalive(turn.requestId, this.#deps.now()))]
    for (const follower of this.#followers)
      if (follower.follows(turn.turnId, turn.promptIds)) follower.deliver(frames, false)
  }
}

/** Conversations that are watched now, each once. */
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

  /** With the follower added: a conversation without followers is closed. */
  async join(sessionId: SessionId, follower: Follower): Promise<Conversation | Refusal> {
    const opening = this.#open.get(sessionId) ?? this.#begin(sessionId)
    const conversation = await opening
    if (!(conversation instanceof Conversation)) return conversation
    if (this.#open.get(sessionId) !== opening) return this.join(sessionId, follower) // closed meanwhile
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
