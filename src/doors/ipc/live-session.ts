// The session as its viewers see it: one watch, one view and one encoding for all of them, while at least one is there.
import { describeRefusal } from "../../contract/text/describe-refusal.ts"
import type { SessionHandle, WatchItem } from "../../contract/host-port.ts"
import type { Refusal } from "../../contract/refusals.ts"
import type { AgentMessage } from "../../protocols/ipc/frames.ts"
import { frameLimits } from "../../protocols/ipc/limits.ts"
import { SessionView } from "../../protocols/ipc/view/session-view.ts"
import { SeqWaiters } from "../core/seq-waiters.ts"
import { SharedSession, type LoadedView } from "../core/shared-session.ts"
import type { IpcDoorOptions } from "./door-options.ts"
import { Frame, textFrames, type FrameReceiver, type TextPosition } from "./frame.ts"
import { SpawnNotices } from "./spawn-notices.ts"

export interface LiveSessionDeps extends Pick<IpcDoorOptions, "sessionId" | "port" | "by" | "now" | "childReady"> {
  readonly onEvent: (view: SessionView) => void
  /** The session has ended or cannot be reached: nothing more follows. */
  readonly onOver: (reason: string) => void
}

export class SessionUnavailable extends Error {
  override readonly name = "SessionUnavailable"

  constructor(refusal: Refusal) {
    super(describeRefusal(refusal))
  }
}

interface SyncFrames {
  readonly main: readonly Frame[]
  readonly plan: readonly Frame[]
}

export class LiveSession {
  readonly #deps: LiveSessionDeps
  readonly #shared: SharedSession<SessionView, FrameReceiver>
  readonly #spawnNotices: SpawnNotices
  readonly #waiters = new SeqWaiters()
  #position: TextPosition = { turn: 0, offset: 0 }
  #sync: SyncFrames | undefined
  #timer: NodeJS.Timeout | undefined
  #isOver = false

  constructor(deps: LiveSessionDeps) {
    this.#deps = deps
    this.#spawnNotices = new SpawnNotices(deps.childReady, (message) => this.broadcast(message))
    this.#shared = new SharedSession({
      open: () => deps.port.open(deps.sessionId, deps.by),
      load: () => this.#load(),
      onItem: ({ view }, item) => this.#onItem(view, item),
      onClosed: () => this.#reset(),
    })
  }

  /** Where the text of the running turn ends. */
  get position(): TextPosition {
    return this.#position
  }

  get view(): SessionView {
    return this.#live.view
  }

  get handle(): SessionHandle {
    return this.#live.handle
  }

  /** Sends the viewer where the session stands; every later frame follows without gap or repeat. */
  async join(viewer: FrameReceiver): Promise<void> {
    const joined = await this.#shared.join(viewer, () => {
      for (const frame of this.#joinFrames()) viewer.send(frame)
    })
    if (joined.kind === "refused") throw new SessionUnavailable(joined.refusal)
  }

  leave(viewer: FrameReceiver): void {
    this.#shared.leave(viewer)
  }

  broadcast(message: AgentMessage): void {
    if (this.#shared.clients.size > 0) this.#send(new Frame(message))
  }

  /** Encoded once until something changes, so that repeated requests cost nothing. */
  get syncFrames(): readonly Frame[] {
    const { main, plan } = this.#encodedSync
    return [...main, ...plan]
  }

  /** Of the plan; outside plan mode the main conversation. */
  get planSyncFrames(): readonly Frame[] {
    const { main, plan } = this.#encodedSync
    return plan.length > 0 ? plan : main.slice(0, 1)
  }

  /** For a viewer that has the text up to a position, of this turn or an older one, and missed what followed. */
  resyncFrames(missedFrom: TextPosition): readonly Frame[] {
    const view = this.#shared.live?.view
    if (view === undefined) return []
    const { turn } = this.#position
    const from = missedFrom.turn === turn ? missedFrom : { turn, offset: 0 }
    return [...this.syncFrames, ...textFrames(view.chunkType, view.turnText.slice(from.offset), from)]
  }

  /** Resolves when all viewers were sent the events up to this number. */
  async reached(seq: number): Promise<void> {
    const view = this.#shared.live?.view
    if (view === undefined || this.#isOver || view.seq >= seq) return
    await this.#waiters.waitFor(seq)
  }

  close(): void {
    this.#shared.close()
  }

  get #live() {
    const { live } = this.#shared
    if (live === undefined) throw new SessionUnavailable({ code: "host.gone" })
    return live
  }

  async #load(): Promise<LoadedView<SessionView>> {
    const { port, sessionId } = this.#deps
    const answered = await port.query({ type: "scene", sessionId, turns: frameLimits.turns })
    if (answered.kind === "refused") return answered
    const snapshot = answered.value
    return { kind: "loaded", view: new SessionView(sessionId, snapshot), cursor: snapshot.seq }
  }

  get #encodedSync(): SyncFrames {
    const { view } = this
    return (this.#sync ??= { main: framesOf(view.syncMessages()), plan: framesOf(view.planSyncMessages()) })
  }

  #joinFrames(): readonly Frame[] {
    const { chunkType, turnText, referenceStatus, progressFrames } = this.view
    const { main, plan } = this.#encodedSync
    const { turn } = this.#position
    this.#position = { turn, offset: turnText.length }
    const text = textFrames(chunkType, turnText, { turn, offset: 0 })
    return [...main, new Frame(referenceStatus), ...plan, ...text, ...framesOf(progressFrames)]
  }

  #onItem(view: SessionView, item: WatchItem): void {
    if (item.kind !== "delta") this.#sync = undefined
    for (const message of view.encode(item, this.#deps.now())) this.#publish(message)
    if (item.kind === "lost") return this.#deps.onOver(describeRefusal(item.refusal))
    if (item.kind === "event") this.#onEvent(view, item)
    this.#scheduleThrottled(view)
  }

  #onEvent(view: SessionView, { recorded: { event } }: Extract<WatchItem, { kind: "event" }>): void {
    this.#waiters.resolveUpTo(view.seq)
    if (event.type === "child.ended") this.#spawnNotices.ended(event)
    this.#deps.onEvent(view)
    if (event.type === "session.ended") this.#over(event.reason)
    if (event.type === "session.hibernated") this.#over("Hibernated")
  }

  /** Stops watching at once, because watching would wake a hibernated session. The viewers stay for the last frames. */
  #over(reason: string): void {
    this.#isOver = true
    this.#shared.stopWatching()
    this.#waiters.resolveUpTo(Infinity)
    this.#deps.onOver(reason)
  }

  #publish(message: AgentMessage): void {
    if (!notInSync.has(message.type)) this.#sync = undefined
    const { turn } = this.#position
    if (endsText.has(message.type)) this.#position = { turn: turn + 1, offset: 0 }
    if (message.type === "conversation_sync") this.#position = { turn, offset: 0 } // all viewers start afresh
    if (this.#shared.clients.size === 0 || this.#spawnNotices.mustHold(message)) return
    if (message.type !== "stream_chunk" && message.type !== "plan_mode_stream_chunk")
      return this.#send(new Frame(message))
    for (const frame of textFrames(message.type, message.text, this.#position)) this.#send(frame)
    this.#position = { turn, offset: this.#position.offset + message.text.length }
  }

  #send(frame: Frame): void {
    for (const viewer of this.#shared.clients) viewer.send(frame)
  }

  /** Sends what the view has throttled when it is due. */
  #scheduleThrottled(view: SessionView): void {
    const { dueAt } = view
    if (dueAt === undefined || this.#timer !== undefined) return
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined
        for (const message of view.due(this.#deps.now())) this.#publish(message)
        this.#scheduleThrottled(view)
      },
      Math.max(1, dueAt - this.#deps.now()),
    )
  }

  #reset(): void {
    this.#sync = undefined
    this.#spawnNotices.clear()
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#waiters.resolveUpTo(Infinity)
  }
}

/** Frames that change nothing in a sync. */
const notInSync: ReadonlySet<AgentMessage["type"]> = new Set([
  "stream_chunk",
  "plan_mode_stream_chunk",
  "tool_progress",
  "lock_changed",
])
const endsText: ReadonlySet<AgentMessage["type"]> = new Set(["stream_end", "plan_mode_stream_end"])

function framesOf(messages: readonly AgentMessage[]): readonly Frame[] {
  return messages.map((message) => new Frame(message))
}
