// The session as its viewers see it: one watch and one encoding for all of them, and only while somebody is there. A
// viewer that enters gets the whole picture and everything after it, with no gap and no repeat, because taking the
// picture and beginning to listen is one step.
import type { HostPort, SessionHandle, WatchItem } from "../../contract/host-port.ts"
import type { SessionId } from "../../contract/ids.ts"
import { describeRefusal } from "../../contract/describe-refusal.ts"
import type { Refusal } from "../../contract/refusals.ts"
import type { By } from "../../contract/values.ts"
import type { AgentMessage } from "../../protocols/ipc/frames.ts"
import { readSnapshot } from "../../projection/session-snapshot.ts"
import { IpcView } from "../../protocols/ipc/view/session-view.ts"
import { Frame, textFrames, type Place } from "./frame.ts"
import { SpawnNews } from "./spawn-notices.ts"

/** As many turns as a house shows at once. */
const turns = 1000

export interface LiveViewDeps {
  readonly sessionId: SessionId
  readonly port: HostPort
  readonly by: By
  readonly now: () => number
  readonly childReady: (childId: SessionId) => Promise<void>
  /** After each event. */
  readonly onEvent: (view: IpcView) => void
  /** The session has ended, or is out of reach: there is nothing more to see. */
  readonly onOver: (reason: string) => void
}

/** Somebody who looks. */
export interface Onlooker {
  tell(frame: Frame): void
}

/** The session cannot be shown. */
export class NoView extends Error {
  override readonly name = "NoView"

  constructor(refusal: Refusal) {
    super(describeRefusal(refusal))
  }
}

interface Live {
  readonly handle: SessionHandle
  readonly view: IpcView
  unwatch: () => void
}

export class LiveView {
  readonly #deps: LiveViewDeps
  readonly #present = new Set<Onlooker>()
  /** Those of them who have the picture. */
  readonly #greeted = new Set<Onlooker>()
  readonly #spawnNews: SpawnNews
  #opening: Promise<Live> | undefined
  #live: Live | undefined
  #leaving = new AbortController()
  #turn = 0
  #textLength = 0
  #sync: { readonly main: readonly Frame[]; readonly plan: readonly Frame[] } | undefined
  #due: NodeJS.Timeout | undefined
  readonly #waiting: { readonly seq: number; readonly seen: () => void }[] = []

  constructor(deps: LiveViewDeps) {
    this.#deps = deps
    this.#spawnNews = new SpawnNews(deps.childReady, (message) => this.say(message))
  }

  /** Where the text of the running turn ends. */
  get place(): Place {
    return { turn: this.#turn, start: this.#textLength }
  }

  /** Of whoever has entered and not left. */
  get view(): IpcView {
    if (this.#live === undefined) throw new NoView({ code: "host.gone" })
    return this.#live.view
  }

  get handle(): SessionHandle {
    if (this.#live === undefined) throw new NoView({ code: "host.gone" })
    return this.#live.handle
  }

  /** Resolves when the picture was told. */
  async enter(onlooker: Onlooker): Promise<void> {
    this.#present.add(onlooker)
    this.#opening ??= this.#open()
    await this.#opening
    if (!this.#present.has(onlooker)) return
    for (const frame of this.#picture()) onlooker.tell(frame)
    this.#greeted.add(onlooker)
  }

  leave(onlooker: Onlooker): void {
    this.#greeted.delete(onlooker)
    if (this.#present.delete(onlooker) && this.#present.size === 0) this.#stop()
  }

  /** To everybody. */
  say(message: AgentMessage): void {
    if (this.#greeted.size === 0) return
    this.#pass(new Frame(message))
  }

  /** Encoded once until something changes: whoever asks again and again costs nothing. */
  get sync(): readonly Frame[] {
    const { main, plan } = this.#synced
    return [...main, ...plan]
  }

  /** Of the plan; outside of plan mode there is only the main conversation. */
  get planSync(): readonly Frame[] {
    const { main, plan } = this.#synced
    return plan.length > 0 ? plan : main.slice(0, 1)
  }

  /** For somebody who has the text up to a place, of this turn or an older one, and missed what came then. */
  upToDate(missedFrom: Place): readonly Frame[] {
    if (this.#live === undefined) return []
    const { view } = this.#live
    const from = missedFrom.turn === this.#turn ? missedFrom : { turn: this.#turn, start: 0 }
    return [...this.sync, ...textFrames(view.chunkType, view.catchUp.slice(from.start), from)]
  }

  /** Resolves when everybody was told of what happened up to there. */
  async seen(seq: number): Promise<void> {
    if (this.#live === undefined || this.#leaving.signal.aborted || this.#live.view.seq >= seq) return
    await new Promise<void>((resolve) => this.#waiting.push({ seq, seen: resolve }))
  }

  close(): void {
    this.#present.clear()
    this.#greeted.clear()
    this.#stop()
  }

  async #open(): Promise<Live> {
    const { port, sessionId, by } = this.#deps
    const { signal } = (this.#leaving = new AbortController())
    try {
      const opened = await port.open(sessionId, by)
      if (opened.kind === "refused") throw new NoView(opened.refusal)
      const live = { handle: opened.handle, view: await this.#look(), unwatch: () => {} }
      if (signal.aborted) throw new NoView({ code: "host.gone" }) // nobody wants to see it any more
      this.#live = live
      const hear = (item: WatchItem) => !signal.aborted && this.#hear(live.view, item)
      live.unwatch = await opened.handle.watch(live.view.seq, hear, signal)
      if (signal.aborted) live.unwatch()
      return live
    } catch (fault) {
      if (!signal.aborted) this.#stop()
      throw fault
    }
  }

  async #look(): Promise<IpcView> {
    const { port, sessionId } = this.#deps
    const answered = await port.query({ type: "scene", sessionId, turns })
    if (answered.kind === "refused") throw new NoView(answered.refusal)
    const scene = readSnapshot(answered.value)
    if (scene === undefined) throw new Error("the house shows the session in an unknown shape")
    return new IpcView(sessionId, scene, {})
  }

  get #synced() {
    const { view } = this
    return (this.#sync ??= { main: framesOf(view.sync()), plan: framesOf(view.planSync()) })
  }

  #picture(): readonly Frame[] {
    const { view } = this
    const { main, plan } = this.#synced
    this.#textLength = view.catchUp.length
    const soFar = textFrames(view.chunkType, view.catchUp, { turn: this.#turn, start: 0 })
    return [...main, new Frame(view.seal), ...plan, ...soFar]
  }

  #hear(view: IpcView, item: WatchItem): void {
    if (item.kind !== "delta") this.#sync = undefined
    for (const message of view.tell(item, this.#deps.now())) this.#tell(message)
    if (item.kind === "lost") return this.#deps.onOver(describeRefusal(item.refusal))
    if (item.kind === "event") this.#heardEvent(view, item)
    this.#wakeWhenDue(view)
  }

  #heardEvent(view: IpcView, { recorded: { event } }: Extract<WatchItem, { kind: "event" }>): void {
    for (const waiting of this.#waiting.splice(0)) {
      if (waiting.seq > view.seq) this.#waiting.push(waiting)
      else waiting.seen()
    }
    if (event.type === "child.ended") this.#spawnNews.ended(event)
    this.#deps.onEvent(view)
    if (event.type === "session.ended") this.#over(event.reason)
    if (event.type === "session.hibernated") this.#over("Hibernated")
  }

  /** At once: watching on would wake what is to rest. */
  #over(reason: string): void {
    this.#leaving.abort()
    this.#live?.unwatch()
    this.#release()
    this.#deps.onOver(reason)
  }

  /** Nobody waits for what is not told any more. */
  #release(): void {
    for (const { seen } of this.#waiting.splice(0)) seen()
  }

  #tell(message: AgentMessage): void {
    if (!inNoSync.has(message.type)) this.#sync = undefined
    if (endsText.has(message.type)) this.#turn += 1
    if (beginsText.has(message.type)) this.#textLength = 0
    if (this.#greeted.size === 0 || this.#spawnNews.holdsBack(message)) return
    if (message.type !== "stream_chunk" && message.type !== "plan_mode_stream_chunk")
      return this.#pass(new Frame(message))
    for (const frame of textFrames(message.type, message.text, this.place)) this.#pass(frame)
    this.#textLength += message.text.length
  }

  #pass(frame: Frame): void {
    for (const onlooker of this.#greeted) onlooker.tell(frame)
  }

  /** What was held back because too much came at once. */
  #wakeWhenDue(view: IpcView): void {
    const { dueAt } = view
    if (dueAt === undefined || this.#due !== undefined) return
    this.#due = setTimeout(
      () => {
        this.#due = undefined
        for (const message of view.due(this.#deps.now())) this.#tell(message)
        this.#wakeWhenDue(view)
      },
      Math.max(1, dueAt - this.#deps.now()),
    )
  }

  #stop(): void {
    this.#leaving.abort()
    this.#live?.unwatch()
    this.#live = this.#opening = this.#sync = undefined
    this.#spawnNews.forget()
    clearTimeout(this.#due)
    this.#due = undefined
    this.#release()
  }
}

/** Told while it comes, and no part of what a sync shows. */
const inNoSync: ReadonlySet<AgentMessage["type"]> = new Set([
  "stream_chunk",
  "plan_mode_stream_chunk",
  "tool_progress",
  "lock_changed",
])
const endsText: ReadonlySet<AgentMessage["type"]> = new Set(["stream_end", "plan_mode_stream_end"])
/** The text that is told begins anew after it: with the next turn, or because everybody is greeted afresh. */
const beginsText: ReadonlySet<AgentMessage["type"]> = new Set([...endsText, "conversation_sync"])

function framesOf(messages: readonly AgentMessage[]): readonly Frame[] {
  return messages.map((message) => new Frame(message))
}
