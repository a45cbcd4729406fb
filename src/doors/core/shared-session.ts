// A session that several clients of one door watch: one watch and one view for all of them, while at least one has joined.
// A client that joins in the middle of a turn is greeted from the view and then gets every item, without gap or repeat,
// because both happen in one synchronous step.
import type { OpenedHandle, SessionHandle, WatchItem } from "../../contract/host-port.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { Refusal } from "../../contract/refusals.ts"
import { SessionWatch } from "./session-watch.ts"

export interface Live<View> {
  readonly handle: SessionHandle
  readonly view: View
}

export type LoadedView<View> =
  | { readonly kind: "loaded"; readonly view: View; readonly cursor: number }
  | { readonly kind: "refused"; readonly refusal: Refusal }

export type JoinedSession<View> =
  | { readonly kind: "joined"; readonly live: Live<View> }
  | { readonly kind: "refused"; readonly refusal: Refusal }

export interface SharedSessionOptions<View, Client> {
  readonly open: () => Promise<OpenedHandle>
  /** The view as it is stored, and the event after which the watch continues. */
  readonly load: (handle: SessionHandle) => Promise<LoadedView<View>>
  /** Called once per item, for all clients together. After `lost` the session is closed and can be joined again. */
  readonly onItem: (live: Live<View>, item: WatchItem, clients: ReadonlySet<Client>) => void
  /** No client is left, or the session was lost. */
  readonly onClosed?: () => void
}

export class SharedSession<View, Client> {
  readonly #options: SharedSessionOptions<View, Client>
  /** All clients, also those that wait for the session to open. */
  readonly #present = new Set<Client>()
  readonly #clients = new Set<Client>()
  #opening: Promise<JoinedSession<View>> | undefined
  #live: Live<View> | undefined
  #watch: SessionWatch | undefined

  constructor(options: SharedSessionOptions<View, Client>) {
    this.#options = options
  }

  /** Undefined while no client has joined. */
  get live(): Live<View> | undefined {
    return this.#live
  }

  get clients(): ReadonlySet<Client> {
    return this.#clients
  }

  /** `greet` sends the client the current state; later items go to all clients. */
  async join(client: Client, greet: (live: Live<View>) => void = () => {}): Promise<JoinedSession<View>> {
    this.#present.add(client)
    const joined = await (this.#opening ??= this.#open())
    if (joined.kind === "refused") return joined
    if (!this.#present.has(client)) return gone
    greet(joined.live)
    this.#clients.add(client)
    return joined
  }

  leave(client: Client): void {
    this.#clients.delete(client)
    if (this.#present.delete(client) && this.#present.size === 0) this.close()
  }

  /** Stops the watch and keeps the clients, for the last frames of a session that has ended. */
  stopWatching(): void {
    this.#watch?.stop()
  }

  close(): void {
    this.#watch?.stop()
    this.#watch = this.#live = this.#opening = undefined
    this.#present.clear()
    this.#clients.clear()
    this.#options.onClosed?.()
  }

  async #open(): Promise<JoinedSession<View>> {
    let lost: Refusal | undefined
    const watch: SessionWatch = new SessionWatch({
      onItem: (item) => {
        if (item.kind === "lost") lost = item.refusal
        this.#pass(item)
      },
    })
    this.#watch = watch
    try {
      const opened = await this.#options.open()
      if (opened.kind === "refused") return this.#refused(watch, opened.refusal)
      const loaded = await this.#options.load(opened.handle)
      if (loaded.kind === "refused") return this.#refused(watch, loaded.refusal)
      if (watch.isStopped) return gone // the last client has left
      const live = { handle: opened.handle, view: loaded.view }
      this.#live = live
      await watch.follow(opened.handle, loaded.cursor)
      if (lost !== undefined) return { kind: "refused", refusal: lost }
      return this.#watch === watch ? { kind: "joined", live } : gone
    } catch (fault) {
      if (this.#watch === watch) this.close()
      throw fault
    }
  }

  #refused(watch: SessionWatch, refusal: Refusal): JoinedSession<View> {
    if (this.#watch === watch) this.close()
    return { kind: "refused", refusal }
  }

  #pass(item: WatchItem): void {
    if (this.#live !== undefined) this.#options.onItem(this.#live, item, this.#clients)
    if (item.kind === "lost") this.close()
  }
}

/** Shared sessions by id; one that no client is in any more is forgotten. */
export class SharedSessions<View, Client> {
  readonly #options: (sessionId: SessionId) => SharedSessionOptions<View, Client>
  readonly #open = new Map<SessionId, SharedSession<View, Client>>()

  constructor(options: (sessionId: SessionId) => SharedSessionOptions<View, Client>) {
    this.#options = options
  }

  get size(): number {
    return this.#open.size
  }

  of(sessionId: SessionId): SharedSession<View, Client> {
    const known = this.#open.get(sessionId)
    if (known !== undefined) return known
    const options = this.#options(sessionId)
    const shared: SharedSession<View, Client> = new SharedSession({
      ...options,
      onClosed: () => {
        if (this.#open.get(sessionId) === shared) this.#open.delete(sessionId)
        options.onClosed?.()
      },
    })
    this.#open.set(sessionId, shared)
    return shared
  }
}

const gone = { kind: "refused", refusal: { code: "host.gone" } } as const
