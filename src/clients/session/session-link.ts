// Follows one session through the port of a host: joins it, folds what it sends, and joins again when the connection is
// lost. Nothing is lost or repeated, because the model knows its last event.
import type { SessionCommand } from "../../contract/commands.ts"
import type { HostPort, SendOutcome, SessionHandle, WatchItem } from "../../contract/host-port.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { Refusal } from "../../contract/refusals.ts"
import type { ShellEnvironment } from "../../contract/session-options.ts"
import type { By } from "../../contract/values.ts"
import { trimmed } from "./turn-ends.ts"
import { foldItem, joinedModel, withEarlier, type SessionModel } from "./session-model.ts"

export interface LinkEvents {
  readonly changed: (model: SessionModel, item: WatchItem | undefined) => void
  readonly lost: () => void
  readonly live: () => void
  /** It cannot be followed any longer. */
  readonly ended: (refusal: Refusal) => void
  /** Whether the newest lines are shown, so that old turns may be dropped. */
  readonly isFollowing: () => boolean
}

/** Turns that are shown at first, and read more at a time. */
const TURNS = 20
const RETRY_MS = 1000

/** The session itself is the problem: another connection does not help. */
const final = new Set<Refusal["code"]>([
  "session.unknown",
  "session.damaged",
  "session.newer",
  "key.bad",
  "role.missing",
])

export interface LinkPlace {
  readonly port: HostPort
  readonly caller: By
  readonly env: ShellEnvironment | undefined
}

export class SessionLink {
  readonly sessionId: SessionId
  readonly #place: LinkPlace
  readonly #events: LinkEvents
  #handle: SessionHandle | undefined
  #model: SessionModel | undefined
  #unwatch: (() => void) | undefined
  #retry: ReturnType<typeof setTimeout> | undefined
  #isClosed = false
  #isReadingEarlier = false

  constructor(sessionId: SessionId, place: LinkPlace, events: LinkEvents) {
    this.sessionId = sessionId
    this.#place = place
    this.#events = events
  }

  /** Resolves with a refusal if it cannot be joined; later losses are handled here. */
  async join(): Promise<Refusal | undefined> {
    const { port, caller, env } = this.#place
    const { sessionId } = this
    const opened = await port.open(sessionId, caller, env)
    if (opened.kind === "refused") return opened.refusal
    const [scene, approvals, line] = await Promise.all([
      port.query({ type: "scene", sessionId, turns: TURNS }),
      port.query({ type: "approvals" }),
      port.query({ type: "session", sessionId }),
    ])
    if (scene.kind === "refused") return scene.refusal
    const requests = approvals.kind === "answer" ? approvals.value : []
    const watching = line.kind === "answer" ? line.value.watching : []
    this.#set(joinedModel(sessionId, scene.value, requests, watching), undefined)
    await this.#watch(opened.handle, scene.value.seq)
    return undefined
  }

  async send(command: SessionCommand): Promise<SendOutcome> {
    const handle = this.#handle
    if (handle === undefined) return { kind: "refused", refusal: { code: "host.gone" } }
    return handle.send(command)
  }

  /** Reads turns before those that are shown. False if there are none, or they are being read. */
  async readEarlier(): Promise<boolean> {
    const model = this.#model
    if (model === undefined || !model.hasEarlier || this.#isReadingEarlier) return false
    this.#isReadingEarlier = true
    try {
      const { sessionId, start: before } = model
      const page = await this.#place.port.query({ type: "transcript", sessionId, turns: TURNS, before })
      if (page.kind === "answer" && this.#model !== undefined)
        this.#set(withEarlier(this.#model, page.value), undefined)
      return page.kind === "answer"
    } finally {
      this.#isReadingEarlier = false
    }
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#retry)
    this.#unwatch?.()
  }

  async #watch(handle: SessionHandle, cursor: number): Promise<void> {
    this.#handle = handle
    const unwatch = await handle.watch(cursor, (item) => this.#take(item))
    if (this.#isClosed) unwatch()
    else this.#unwatch = unwatch
  }

  #take(item: WatchItem): void {
    if (this.#isClosed || this.#model === undefined) return
    if (item.kind === "lost") return this.#lose(item.refusal)
    const model = foldItem(this.#model, item)
    const isTurnEnd = item.kind === "event" && item.recorded.event.type === "turn.ended"
    this.#set(isTurnEnd && this.#events.isFollowing() ? trimmed(model) : model, item)
  }

  #set(model: SessionModel, item: WatchItem | undefined): void {
    this.#model = model
    this.#events.changed(model, item)
  }

  #lose(refusal: Refusal): void {
    this.#handle = undefined
    this.#unwatch = undefined
    if (final.has(refusal.code)) return this.#events.ended(refusal)
    this.#events.lost()
    this.#retry = setTimeout(() => void this.#rejoin(), RETRY_MS)
  }

  async #rejoin(): Promise<void> {
    const { port, caller, env } = this.#place
    try {
      const opened = await port.open(this.sessionId, caller, env)
      if (this.#isClosed) return
      if (opened.kind === "refused") return this.#lose(opened.refusal)
      await this.#watch(opened.handle, this.#model?.seq ?? 0)
      this.#events.live()
    } catch (fault) {
      // No host runs, and none can be started at the moment.
      this.#lose({ code: "host.unreachable", what: fault instanceof Error ? fault.message : String(fault) })
    }
  }
}
