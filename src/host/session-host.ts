// A host is one process that runs sessions: it holds and renews the lease under which they are written, and has every
// open session once. When the lease is lost it stops at once, because another host may own its sessions. A host that
// leaves hands its sessions over one by one, each when it has no work that must not be interrupted.
import type { SessionId } from "../contract/ids.ts"
import { limits } from "../contract/limits.ts"
import type { Refusal } from "../contract/refusals.ts"
import {
  ok,
  refused,
  type EventLog,
  type HostIdentity,
  type Lease,
  type NodeIdentity,
  type Outcome,
} from "../log/event-log.ts"
import { CheckpointTimer } from "../runner/model/checkpoint-timer.ts"
import { createSession, openSession, type OpenDeps, type OpenMode, type Opened } from "../runner/open-session.ts"
import type { SettingsRequest, Services, Setting } from "../runner/session-context.ts"
import type { PauseOptions, SessionActor } from "../runner/session-actor.ts"
import { ChildSessions } from "./children/child-sessions.ts"
import { folderGrants } from "./folder-grants.ts"
import { readStatus } from "../projection/status.ts"
import type { HostedNode, HostLoss, HostMeter } from "./cluster-member.ts"
import { LeaseFence } from "./lease-fence.ts"
import { newSessionId } from "./new-ids.ts"
import { isAtRest } from "./children/open-tree.ts"
import type { NewSession, OpenSessions } from "./open-sessions.ts"

/** Everything a session needs that the host does not provide itself. */
export type HostServices = Omit<Services, "log" | "lease" | "children" | "checkpoints" | "folderGrants"> & {
  /** Settings of a session by its folder and configuration; otherwise all sessions share one. */
  readonly settingFor?: (request: SettingsRequest) => Promise<Outcome<Setting>>
  /** When streamed text is checkpointed; by default a timer of its own. */
  readonly checkpoints?: CheckpointTimer
  /** Whether this host adopts turns that have no host. */
  readonly adopts?: boolean
  /** In a cluster. */
  readonly node?: HostedNode
  readonly meter?: HostMeter
}

export type OpenedHost =
  | { readonly kind: "opened"; readonly host: SessionHost }
  | { readonly kind: "refused"; readonly refusal: Refusal }

export async function openSessionHost(
  log: EventLog,
  host: HostIdentity,
  services: HostServices,
  manner?: "the only one",
): Promise<OpenedHost> {
  const { node } = services
  const registered = await log.registerHost(node === undefined ? host : { ...host, node }, manner)
  if (registered.kind === "refused") return registered
  return { kind: "opened", host: new SessionHost(log, registered.value, services) }
}

export class SessionHost implements OpenSessions {
  readonly log: EventLog
  readonly lease: Lease
  /** Resolves when the lease is lost: nothing can be written any more. */
  readonly lost: Promise<HostLoss>
  readonly #node: HostedNode | undefined
  readonly #meter: HostMeter | undefined
  readonly #services: Services
  readonly #equipment: OpenDeps
  readonly #open = new Map<SessionId, Promise<Opened>>()
  readonly #closing = new Map<SessionId, Promise<void>>()
  /** Closed sessions that this host is changing in the log. */
  readonly #inLog = new Map<SessionId, Promise<void>>()
  readonly #renewal: NodeJS.Timeout
  readonly #loss = Promise.withResolvers<HostLoss>()
  #fence: LeaseFence | undefined
  readonly #manner: OpenMode
  readonly #live = new Set<SessionActor>()
  readonly #listeners = new Set<(session: SessionActor) => void>()
  #isLeaving = false
  #isLost = false

  constructor(log: EventLog, lease: Lease, { settingFor, adopts, node, meter, ...services }: HostServices) {
    this.log = log
    this.lease = lease
    this.lost = this.#loss.promise
    this.#manner = adopts === true ? "adopting" : "at work"
    const children = new ChildSessions(this)
    const { checkpoints = new CheckpointTimer(limits.checkpointMs) } = services
    this.#services = { ...services, log, lease, children, checkpoints, folderGrants: (cwd) => folderGrants(log, cwd) }
    const servicesFor = async (request: SettingsRequest): Promise<Outcome<Services>> => {
      const setting = await settingFor?.(request)
      if (setting?.kind === "refused") return setting
      return ok(setting === undefined ? this.#services : { ...this.#services, ...setting.value })
    }
    this.#equipment = { log, lease, servicesFor }
    const failed = (fault: unknown) => this.#reportRenewal(String(fault))
    this.#renewal = setInterval(() => void this.#renew().catch(failed), limits.leaseRenewMs)
    this.#renewal.unref()
    this.#node = node
    this.#meter = meter
    // Elsewhere nothing else fences a host that cannot reach the log.
    if (node !== undefined) this.#fence = new LeaseFence(() => this.#lose("cut off"))
  }

  /** Whether a session of this place can run here. */
  canRun(place: string | undefined): boolean {
    return place === undefined || this.#node === undefined || this.#node.labels.includes(place)
  }

  /** In a cluster. */
  get node(): NodeIdentity | undefined {
    return this.#node
  }

  /** Whether it outlives the command that started it and adopts sessions. */
  get isPersistent(): boolean {
    return this.#manner === "adopting"
  }

  noteAdopted(): void {
    this.#meter?.adopted()
  }

  noteMoved(): void {
    this.#meter?.moved()
  }

  /** Absent where nothing is locked. */
  get locks(): Services["locks"] {
    return this.#services.locks
  }

  /** Absent where no states of folders are kept. */
  get fileHistory(): Services["fileHistory"] {
    return this.#services.fileHistory
  }

  get size(): number {
    return this.#open.size
  }

  get isLeaving(): boolean {
    return this.#isLeaving
  }

  async create(session: NewSession, setting?: Setting): Promise<Opened> {
    const sessionId = session.sessionId ?? newSessionId(this.#services.now())
    const open = this.#open.get(sessionId)
    // A second live session with the id of an open one would take its place here.
    if (open !== undefined && (await open).kind === "opened")
      return { kind: "refused", refusal: { code: "session.exists", sessionId } }
    if (this.#isLeaving) return leaving
    const equipment = setting === undefined ? this.#equipment : this.#equipmentWith(setting)
    const place = session.place ?? this.#node?.placeOf(session)
    const placed = place === undefined ? session : { ...session, place }
    return this.#register(sessionId, createSession(equipment, { type: "session.created", ...placed, sessionId }))
  }

  #equipmentWith(setting: Setting): OpenDeps {
    return { ...this.#equipment, servicesFor: () => Promise.resolve(ok({ ...this.#services, ...setting })) }
  }

  /** Calls the listener for every session that is open or opened later, once per opening. */
  onSession(listener: (session: SessionActor) => void): () => void {
    this.#listeners.add(listener)
    for (const session of this.#live) listener(session)
    return () => this.#listeners.delete(listener)
  }

  /** The same live session for all callers. */
  open(sessionId: SessionId, manner: OpenMode = this.#manner): Promise<Opened> {
    const open = this.#open.get(sessionId)
    if (open !== undefined) return open
    return this.#isLeaving ? Promise.resolve(leaving) : this.#register(sessionId, this.#reopen(sessionId, manner))
  }

  /** Only sessions that are already open in this host. */
  async opened(sessionId: SessionId): Promise<Opened> {
    const unknown = { kind: "refused", refusal: { code: "session.unknown", wanted: sessionId } } as const
    return (await this.#open.get(sessionId)) ?? unknown
  }

  async sessions(): Promise<readonly SessionActor[]> {
    const opened = await Promise.allSettled(this.#open.values())
    return opened.flatMap((one) =>
      one.status === "fulfilled" && one.value.kind === "opened" ? [one.value.session] : [],
    )
  }

  async closeSession(sessionId: SessionId): Promise<void> {
    const closing = this.#closing.get(sessionId) ?? this.#closeNow(sessionId)
    this.#closing.set(sessionId, closing)
    await closing.finally(() => this.#closing.delete(sessionId))
  }

  /** Closes them and makes another host their owner, in one step. Callers that open one meanwhile wait. */
  async handOver(sessionIds: readonly SessionId[], heir: string): Promise<Outcome<void>> {
    const handing = this.#handOverNow(sessionIds, heir)
    const settled = ended(handing)
    for (const sessionId of sessionIds) this.#closing.set(sessionId, settled)
    return handing.finally(() => {
      for (const sessionId of sessionIds) this.#closing.delete(sessionId)
    })
  }

  /**
   * For work on a session in the log; does nothing if the session is open here. Callers that open it wait: its lease would
   * be released under them.
   */
  async whileClosed(sessionId: SessionId, work: () => Promise<void>): Promise<void> {
    if (this.#open.has(sessionId) || this.#closing.has(sessionId) || this.#inLog.has(sessionId)) return
    const done = work().finally(() => this.#inLog.delete(sessionId))
    this.#inLog.set(sessionId, done)
    await done
  }

  /** Opens no more sessions and closes each when it can be interrupted, or after the given time. The next host continues. */
  async leave(timeoutMs: number, options?: PauseOptions): Promise<void> {
    this.#isLeaving = true
    const closed = (await this.sessions()).map(async (session) => {
      await session.pause(timeoutMs, options)
      await this.closeSession(session.id)
    })
    await Promise.all(closed)
  }

  async close(): Promise<void> {
    clearInterval(this.#renewal)
    this.#fence?.stop()
    await Promise.all([...this.#open.keys()].map((sessionId) => this.closeSession(sessionId)))
    if (!this.#isLost) await this.log.releaseHost(this.lease)
    await this.log.close()
  }

  async #closeNow(sessionId: SessionId): Promise<void> {
    const session = await this.#stop(sessionId)
    if (session !== undefined) await this.#release(session)
  }

  /** If the other host has gone, the next one that looks for open turns continues them. */
  async #handOverNow(sessionIds: readonly SessionId[], heir: string): Promise<Outcome<void>> {
    const stopped = await Promise.all(sessionIds.map((sessionId) => this.#stop(sessionId)))
    const handed = await this.log.cluster?.handOver(this.lease, sessionIds, heir)
    if (handed?.kind === "ok") return handed
    for (const session of stopped) if (session !== undefined) await this.#release(session)
    return handed ?? refused({ code: "host.gone" })
  }

  async #stop(sessionId: SessionId): Promise<SessionActor | undefined> {
    const opening = this.#open.get(sessionId)
    this.#open.delete(sessionId)
    const opened = await opening
    if (opened?.kind !== "opened") return undefined
    const { session } = opened
    await session.close()
    this.#services.ledger.forget(sessionId)
    await this.#services.leaveSession(sessionId)
    return session
  }

  async #release(session: SessionActor): Promise<void> {
    if (!this.#isLost) await this.log.release(this.lease, session.id, isAtRest(session) ? undefined : "left open")
  }

  /** Waits for a session that is being closed, or changed in the log. */
  async #reopen(sessionId: SessionId, manner: OpenMode): Promise<Opened> {
    await this.#closing.get(sessionId)
    await this.#inLog.get(sessionId)?.catch(() => {}) // its caller gets the fault
    if (manner !== "at rest") await this.#openParent(sessionId)
    return openSession(this.#equipment, sessionId, manner)
  }

  /** What the rest of a tree has spent is known only where it is open. A parent that another host has stays there. */
  async #openParent(sessionId: SessionId): Promise<void> {
    const found = await this.log.find(sessionId)
    const status = found.kind === "ok" ? readStatus(found.value.summary) : undefined
    if (status?.parentId === undefined || status.life === "ended" || this.#open.has(status.parentId)) return
    await this.open(status.parentId)
  }

  #register(sessionId: SessionId, opening: Promise<Opened>): Promise<Opened> {
    const forget = () => this.#open.get(sessionId) === registered && this.#open.delete(sessionId)
    const registered: Promise<Opened> = opening.then(
      (opened) => {
        if (opened.kind === "refused") forget()
        else this.#track(opened.session)
        return opened
      },
      async (fault: unknown) => {
        forget()
        await this.log.release(this.lease, sessionId)
        throw fault
      },
    )
    this.#open.set(sessionId, registered)
    return registered
  }

  /** Drops a lost session, so that the next caller does not get it. An ended one stays readable, without processes. */
  #track(session: SessionActor): void {
    this.#live.add(session)
    for (const listener of this.#listeners) listener(session)
    const failed = (fault: unknown) => this.#services.warn(`it was not left in order: ${String(fault)}`, session.id)
    session.watch((item) => {
      if (item.kind === "lost") {
        this.#live.delete(session)
        this.closeSession(session.id).catch(failed)
      }
      if (item.kind === "event" && item.recorded.event.type === "session.ended")
        this.#services.leaveSession(session.id).catch(failed)
    })
    if (this.#isLost) lose(session)
  }

  async #renew(): Promise<void> {
    const attempt = this.#fence?.attempt()
    const start = performance.now()
    const renewed = await this.log.renew(this.lease)
    if (renewed.kind === "ok") this.#meter?.renewed(performance.now() - start)
    if (renewed.kind === "refused") this.#reportRenewal(renewed.refusal.code)
    else if (renewed.value) attempt?.succeeded()
    else this.#lose("taken over")
  }

  #reportRenewal(reason: string): void {
    for (const sessionId of this.#open.keys()) this.#services.warn(`the lease was not renewed: ${reason}`, sessionId)
  }

  /** Waits for nothing: the lease ends soon, and a session that is being opened may wait for the store. */
  #lose(loss: HostLoss): void {
    if (this.#isLost) return
    this.#isLost = true
    clearInterval(this.#renewal)
    this.#fence?.stop()
    for (const session of this.#live) lose(session)
    this.#loss.resolve(loss)
  }
}

async function ended(work: Promise<unknown>): Promise<void> {
  await Promise.allSettled([work])
}

function lose(session: SessionActor): void {
  session.lose({ code: "log.fenced", sessionId: session.id })
}

const leaving = { kind: "refused", refusal: { code: "host.leaving" } } as const
