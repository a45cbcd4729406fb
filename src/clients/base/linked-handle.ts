// A session handle that survives a change of owner: finds the next owner, resends what the old one did not answer, and
// continues its watchers from their cursors. Watchers of a session that cannot be found again get a notice.
import type { SessionCommand } from "../../contract/commands.ts"
import type { OpenedHandle, SendOutcome, SessionHandle, Watcher, WatchItem } from "../../contract/host-port.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { Refusal } from "../../contract/refusals.ts"
import { delay, untilAborted } from "./abort.ts"

/** A host that dies or leaves is replaced within this time, or not at all. */
const searchTimeoutMs = 20_000
const retryMs = 50
const MIN_TRIES = 3
const outageRetryMs = 500
/** How often a silent owner is checked. */
const checkEveryMs = 2000

/** Opens the session again, wherever it is. */
export interface Relink {
  readonly open: () => Promise<OpenedHandle>
  readonly owner: () => Promise<string | undefined>
  /** The host of this process reports the loss of a session itself. */
  readonly ownHostId: string | undefined
  readonly closed: AbortSignal
  /** A watcher has lost its owner, or watches at the next one. */
  readonly changed?: ((state: LinkChange) => void) | undefined
}

export type LinkChange = "lost" | "live"

export class LinkedHandle implements SessionHandle {
  readonly sessionId: SessionId
  readonly #relink: Relink
  #current: SessionHandle
  #owner: string | undefined
  #reopening: Promise<OpenedHandle> | undefined

  constructor(current: SessionHandle, owner: string | undefined, relink: Relink) {
    this.sessionId = current.sessionId
    this.#current = current
    this.#owner = owner
    this.#relink = relink
  }

  get #isOwnHost(): boolean {
    return this.#owner !== undefined && this.#owner === this.#relink.ownHostId
  }

  /** Resent when the owner changed: prompts have ids, and the other commands can be repeated. */
  async send(command: SessionCommand): Promise<SendOutcome> {
    for (const deadline = Date.now() + searchTimeoutMs; ; await delay(retryMs, this.#relink.closed)) {
      const used = this.#current
      const sent = await this.#sendTo(used, command)
      if (sent.kind === "accepted" || !mayHaveMoved(sent.refusal) || Date.now() > deadline) return sent
      const opened = await this.#next(used, this.#relink.closed)
      if (opened.kind === "refused") return opened
    }
  }

  async #sendTo(handle: SessionHandle, command: SessionCommand): Promise<SendOutcome> {
    if (this.#isOwnHost) return handle.send(command)
    const settled = new AbortController()
    const sent = await Promise.race([handle.send(command), this.#ownerLost(settled.signal)])
    settled.abort()
    return sent
  }

  async watch(cursor: number, watcher: Watcher, signal?: AbortSignal): Promise<() => void> {
    const watching = new LinkedWatch(cursor, watcher, this.#relink, (...args) => this.#next(...args))
    signal?.addEventListener("abort", () => watching.stop(), { once: true })
    await watching.follow(this.#current, (until) => this.#ownerLost(until))
    return () => watching.stop()
  }

  /** A frozen host reports nothing, not even a lost session: the directory tells. */
  async #ownerLost(signal: AbortSignal): Promise<typeof gone> {
    const owner = this.#owner
    if (this.#isOwnHost) await untilAborted(signal)
    while (!signal.aborted) {
      await delay(checkEveryMs, signal)
      if (signal.aborted || (await this.#relink.owner()) !== owner) break
    }
    return gone
  }

  /** All watchers of a lost owner share one search. */
  async #next(used: SessionHandle, signal: AbortSignal): Promise<OpenedHandle> {
    if (this.#current !== used) return { kind: "opened", handle: this.#current }
    this.#reopening ??= openWithRetries(this.#relink.open, signal).finally(() => (this.#reopening = undefined))
    const opened = await this.#reopening
    if (opened.kind === "refused") return opened
    this.#owner = await this.#relink.owner()
    this.#current = opened.handle
    return opened
  }
}

class LinkedWatch {
  readonly #watcher: Watcher
  readonly #next: (used: SessionHandle, signal: AbortSignal) => Promise<OpenedHandle>
  readonly #stopping = new AbortController()
  /** Aborted, alone or with all others. */
  readonly #stopped: AbortSignal
  readonly #changed: (state: LinkChange) => void
  #cursor: number
  #unwatch: (() => void) | undefined
  /** Since when the store cannot be read. */
  #outageAt: number | undefined

  constructor(
    cursor: number,
    watcher: Watcher,
    { closed, changed = () => {} }: Relink,
    next: (used: SessionHandle, signal: AbortSignal) => Promise<OpenedHandle>,
  ) {
    this.#stopped = AbortSignal.any([this.#stopping.signal, closed])
    this.#changed = changed
    this.#cursor = cursor
    this.#watcher = watcher
    this.#next = next
  }

  async follow(handle: SessionHandle, ownerLost: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    const ownerChange = new AbortController()
    const stopSignal = AbortSignal.any([ownerChange.signal, this.#stopped])
    let isStopped = stopSignal.aborted // read per delta, where a signal would be too slow
    stopSignal.addEventListener("abort", () => (isStopped = true), { once: true })
    const onOwnerLost = () => {
      if (isStopped) return
      ownerChange.abort()
      this.#unwatch?.()
      this.#changed("lost")
      this.#resume(handle, ownerLost).catch((fault: unknown) => this.#watcher(lostBy(fault)))
    }
    void ownerLost(stopSignal).then(onOwnerLost)
    const onItem = (item: WatchItem) => {
      if (isStopped) return
      if (item.kind !== "lost" || !(mayHaveMoved(item.refusal) || this.#mayRecover(item.refusal)))
        return this.#pass(item)
      onOwnerLost()
    }
    const watching = handle.watch(this.#cursor, onItem, stopSignal)
    const unwatch = await Promise.race([watching, aborted(ownerChange.signal)])
    if (unwatch === undefined)
      return void watching.then(
        (late) => late(),
        () => {}, // the next owner is watched already
      )
    if (isStopped) unwatch()
    else this.#unwatch = unwatch
  }

  stop(): void {
    this.#stopping.abort()
    this.#unwatch?.()
  }

  #pass(item: WatchItem): void {
    if (item.kind === "event") this.#cursor = item.recorded.seq
    this.#watcher(item)
  }

  /** A store that cannot be read for a moment does not end a watch. */
  #mayRecover(refusal: Refusal): boolean {
    if (!isOutage(refusal)) return false
    this.#outageAt ??= Date.now()
    return Date.now() - this.#outageAt < searchTimeoutMs
  }

  async #reopened(used: SessionHandle): Promise<OpenedHandle> {
    for (;;) {
      const opened = await this.#next(used, this.#stopped).catch(unreachable)
      if (opened.kind === "opened" || this.#stopped.aborted || !this.#mayRecover(opened.refusal)) return opened
      await delay(outageRetryMs, this.#stopped)
    }
  }

  async #resume(used: SessionHandle, ownerLost: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    this.#unwatch = undefined
    const opened = await this.#reopened(used)
    if (this.#stopped.aborted) return
    if (opened.kind === "refused") return this.#watcher({ kind: "lost", refusal: opened.refusal })
    // Avoids a busy loop when it is lost again at once.
    await delay(this.#outageAt === undefined ? retryMs : outageRetryMs, this.#stopped)
    await this.follow(opened.handle, ownerLost)
    if (this.#unwatch === undefined) return
    this.#outageAt = undefined
    this.#changed("live")
  }
}

async function aborted(signal: AbortSignal): Promise<undefined> {
  await untilAborted(signal)
  return undefined
}

/** No host is running and none can be started. */
function unreachable(fault: unknown) {
  const what = fault instanceof Error ? fault.message : String(fault)
  return { kind: "refused", refusal: { code: "host.unreachable", what } } as const
}

function lostBy(fault: unknown): WatchItem {
  return { kind: "lost", refusal: unreachable(fault).refusal }
}

export const gone = { kind: "refused", refusal: { code: "host.gone" } } as const

/** Between two owners a session has no host for a moment; that is not a refusal. */
export async function openWithRetries(open: () => Promise<OpenedHandle>, signal: AbortSignal): Promise<OpenedHandle> {
  const deadline = Date.now() + searchTimeoutMs
  for (let tries = 1; ; tries++) {
    const opened = await open()
    if (opened.kind === "opened" || !isOwnerChange(opened.refusal) || signal.aborted) return opened
    if (Date.now() > deadline && tries >= MIN_TRIES) return opened // a single slow try does not decide
    await delay(retryMs, signal)
  }
}

function isOwnerChange({ code }: Refusal): boolean {
  return code === "host.gone" || code === "host.leaving" || code === "session.owned" || code === "log.fenced"
}

function isOutage({ code }: Refusal): boolean {
  return code === "log.unavailable"
}

/** A host that has just closed a session no longer knows it, for one request that was already on its way. */
function mayHaveMoved(refusal: Refusal): boolean {
  return isOwnerChange(refusal) || refusal.code === "session.unknown"
}
