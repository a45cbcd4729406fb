// Background work of a host: continues turns that have no host, closes idle sessions, removes empty ones, and reports
// when the host is not needed any more.
import type { SessionId } from "../contract/ids.ts"
import { limits } from "../contract/limits.ts"
import type { SessionRow } from "../log/event-log.ts"
import { readStatus, type SessionStatus } from "../projection/status.ts"
import { readFolds } from "../runner/read-folds.ts"
import type { SessionActor } from "../runner/session-actor.ts"
import type { SessionHost } from "./session-host.ts"
import { isAtRest, openTree } from "./children/open-tree.ts"

export interface SessionAdoptionOptions {
  readonly now: () => number
  readonly warn: (message: string) => void
  readonly idleSessionMs?: number
  readonly idleHostMs?: number
}

const removeEveryMs = 60 * 60 * 1000

export class SessionAdoption {
  readonly #host: SessionHost
  readonly #options: SessionAdoptionOptions
  readonly #unneeded = Promise.withResolvers<void>()
  #neededAt: number
  #removedAt = 0
  #timer: NodeJS.Timeout | undefined
  #round: Promise<void> = Promise.resolve()

  constructor(host: SessionHost, options: SessionAdoptionOptions) {
    this.#host = host
    this.#options = options
    this.#neededAt = options.now()
  }

  /** Resolves when no session has been open for long enough. */
  get unneeded(): Promise<void> {
    return this.#unneeded.promise
  }

  start(): void {
    const next = () => {
      this.#round = this.round()
        .catch((fault: unknown) => this.#options.warn(`a round of the host failed: ${String(fault)}`))
        .then(() => this.#timer && void (this.#timer = setTimeout(next, limits.adoptEveryMs)))
    }
    this.#timer = setTimeout(next, 0)
  }

  /** Resolves when no work is in progress. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    await this.#round
  }

  async round(): Promise<void> {
    await this.#adopt()
    await this.#closeIdle()
    await this.#removeEmpty()
    const now = this.#options.now()
    if (this.#host.size > 0) this.#neededAt = now
    else if (now - this.#neededAt > (this.#options.idleHostMs ?? limits.idleHostMs)) this.#unneeded.resolve()
  }

  async #adopt(): Promise<void> {
    await this.#openHandedOver()
    const unowned = await this.#host.log.leftOpen()
    if (unowned.kind === "refused")
      return this.#options.warn(`open turns cannot be looked for: ${unowned.refusal.code}`)
    for (const row of unowned.value) {
      if (this.#host.isLeaving) return
      if (!this.#host.canRun(row.place)) continue
      await (canResume(row) ? this.#resume(row) : this.#closeAbandoned(row.sessionId))
    }
  }

  /** Sessions that were moved here, with their agents. */
  async #openHandedOver(): Promise<void> {
    const { log, lease } = this.#host
    const found = await log.cluster?.handedOver(lease)
    if (found?.kind === "refused") this.#options.warn(`moved sessions cannot be looked for: ${found.refusal.code}`)
    for (const row of found?.kind === "ok" ? found.value : []) {
      if (this.#host.isLeaving) return
      await this.#resume(row)
      await this.#host.open(row.sessionId) // one that has no work is opened, too
    }
  }

  /** A child is opened by its parent; one without a parent in any host continues alone. */
  async #resume(row: SessionRow): Promise<void> {
    const rootId = await this.#rootOf(row)
    const root = await this.#host.open(rootId)
    if (root.kind === "refused" && root.refusal.code === "session.owned" && (await this.#hasParent(row))) return
    const opened = rootId === row.sessionId || hasChild(root, row) ? root : await this.#host.open(row.sessionId)
    if (opened.kind === "opened") return this.#host.noteAdopted()
    if (opened.refusal.code !== "session.owned")
      this.#options.warn(`session ${row.sessionId} cannot be resumed: ${opened.refusal.code}`)
  }

  /** Its requests for approval and its result must reach the parent, whose host opens it there. */
  async #hasParent({ sessionId, summary }: SessionRow): Promise<boolean> {
    const parentId = readStatus(summary)?.parentId
    const parent = parentId === undefined ? undefined : await readFolds(this.#host.log, parentId)
    return parent?.kind === "ok" && parent.value.state.children.some(({ id }) => id === sessionId)
  }

  async #rootOf(row: SessionRow): Promise<SessionId> {
    const seen = new Set<SessionId>()
    let { sessionId } = row
    for (let parentId = readStatus(row.summary)?.parentId; parentId !== undefined && !seen.has(parentId);) {
      seen.add(parentId)
      const parent = await this.#host.log.find(parentId)
      const status = parent.kind === "ok" ? readStatus(parent.value.summary) : undefined
      if (status === undefined || (status.life === "ended" && status.children === 0)) return sessionId
      sessionId = parentId
      parentId = status.parentId
    }
    return sessionId
  }

  /** It has no work, or another kind of host must do it: it is closed. One that is open here stays: the lease was renewed late. */
  async #closeAbandoned(sessionId: SessionId): Promise<void> {
    const { log, lease } = this.#host
    await this.#host.whileClosed(sessionId, async () => {
      const claimed = await log.claim(lease, sessionId)
      if (claimed.kind === "ok") await log.release(lease, sessionId)
    })
  }

  async #closeIdle(): Promise<void> {
    const before = this.#options.now() - (this.#options.idleSessionMs ?? limits.idleSessionMs)
    const sessions = await this.#host.sessions()
    const open = new Set(sessions.map(({ id }) => id))
    const roots = sessions.filter(({ state }) => !open.has(state.created?.parent?.sessionId ?? ""))
    for (const root of roots) {
      const tree = await openTree(this.#host, root)
      if (!tree.every((session) => isAtRest(session) && (isOver(session) || session.activeAt < before))) continue
      for (const session of tree) await this.#host.closeSession(session.id)
    }
  }

  async #removeEmpty(): Promise<void> {
    const now = this.#options.now()
    if (now - this.#removedAt < removeEveryMs) return
    this.#removedAt = now
    const listed = await this.#host.log.list()
    const rows = listed.kind === "ok" ? listed.value : []
    for (const row of rows) {
      if (row.owner !== undefined || now - row.updatedAt < limits.emptySessionMs || !isEmpty(row)) continue
      await this.#host.whileClosed(row.sessionId, () => this.#removeIfEmpty(row.sessionId))
    }
  }

  /** It may have got its first prompt since it was listed. */
  async #removeIfEmpty(sessionId: SessionId): Promise<void> {
    const { log, lease } = this.#host
    const claimed = await log.claim(lease, sessionId)
    if (claimed.kind === "refused") return
    const found = await log.find(sessionId)
    await (found.kind === "ok" && isEmpty(found.value) ? log.remove(lease, sessionId) : log.release(lease, sessionId))
  }
}

/** It has ended and has no watcher: its extensions can stop. */
function isOver({ state, watching }: SessionActor): boolean {
  return state.life === "ended" && watching.length === 0
}

/** A parent process decides itself about the turn of its dead child. */
function canResume({ summary }: SessionRow): boolean {
  const status = readStatus(summary)
  return status !== undefined && isUnfinished(status) && status.origin !== "rpc"
}

function isUnfinished({ inTurn, compacting, hibernated, life, children }: SessionStatus): boolean {
  const hasChildrenToEnd = life === "ended" && children > 0
  return !hibernated && (inTurn || compacting || hasChildrenToEnd)
}

function hasChild(root: Awaited<ReturnType<SessionHost["open"]>>, row: SessionRow): boolean {
  return root.kind === "opened" && root.session.state.children.some(({ id }) => id === row.sessionId)
}

function isEmpty({ summary }: SessionRow): boolean {
  const status = readStatus(summary)
  return status !== undefined && status.turns === 0 && status.waitingPrompts === 0 && status.name === undefined
}
