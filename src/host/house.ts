// A house is one process that runs sessions: it holds the lease under which they are written, keeps it alive, and has
// every open session once. When the lease is lost it stops acting at once: somebody else may own its sessions.
import type { EventOf } from "../contract/events.ts"
import type { SessionId } from "../contract/ids.ts"
import { limits } from "../contract/limits.ts"
import type { Refusal } from "../contract/refusals.ts"
import type { EventLog, HostIdentity, Lease } from "../log/event-log.ts"
import { createSession, openSession, type Manner, type Opened } from "../runner/open-session.ts"
import type { Services } from "../runner/services.ts"
import type { SessionActor } from "../runner/session-actor.ts"
import { ChildSessions } from "./child-sessions.ts"
import { folderGrants } from "./folder-grants.ts"
import { newSessionId } from "./new-ids.ts"

/** Everything a session needs that is not the house's own. */
export type HouseServices = Omit<Services, "log" | "lease" | "children" | "folderGrants">

export type NewSession = Omit<EventOf<"session.created">, "type" | "sessionId"> & { readonly sessionId?: SessionId }

export type OpenedHouse =
  | { readonly kind: "opened"; readonly house: House }
  | { readonly kind: "refused"; readonly refusal: Refusal }

export async function openHouse(log: EventLog, host: HostIdentity, services: HouseServices): Promise<OpenedHouse> {
  const registered = await log.registerHost(host)
  if (registered.kind === "refused") return registered
  return { kind: "opened", house: new House(log, registered.value, services) }
}

export class House {
  readonly log: EventLog
  readonly lease: Lease
  readonly #services: Services
  readonly #open = new Map<SessionId, Promise<Opened>>()
  readonly #closing = new Map<SessionId, Promise<void>>()
  readonly #renewal: NodeJS.Timeout

  constructor(log: EventLog, lease: Lease, services: HouseServices) {
    this.log = log
    this.lease = lease
    const children = new ChildSessions(this)
    this.#services = { ...services, log, lease, children, folderGrants: (cwd) => folderGrants(log, cwd) }
    this.#renewal = setInterval(() => void this.#renew(), limits.leaseRenewMs)
    this.#renewal.unref()
  }

  create(session: NewSession): Promise<Opened> {
    const sessionId = session.sessionId ?? newSessionId(this.#services.now())
    return this.#keep(sessionId, createSession(this.#services, { type: "session.created", ...session, sessionId }))
  }

  /** The same live session for everybody who asks. */
  open(sessionId: SessionId, manner: Manner = "at work"): Promise<Opened> {
    return this.#open.get(sessionId) ?? this.#keep(sessionId, this.#reopen(sessionId, manner))
  }

  /** Only what is open in this house already. */
  async opened(sessionId: SessionId): Promise<Opened> {
    const unknown = { kind: "refused", refusal: { code: "session.unknown", wanted: sessionId } } as const
    return (await this.#open.get(sessionId)) ?? unknown
  }

  async closeSession(sessionId: SessionId): Promise<void> {
    const closing = this.#closing.get(sessionId) ?? this.#closeNow(sessionId)
    this.#closing.set(sessionId, closing)
    await closing.finally(() => this.#closing.delete(sessionId))
  }

  async #closeNow(sessionId: SessionId): Promise<void> {
    const opening = this.#open.get(sessionId)
    this.#open.delete(sessionId)
    const opened = await opening
    if (opened?.kind !== "opened") return
    await opened.session.close()
    this.#services.ledger.forget(sessionId)
    await this.#services.leaveSession(sessionId)
    await this.log.release(this.lease, sessionId)
  }

  async close(): Promise<void> {
    clearInterval(this.#renewal)
    await Promise.all([...this.#open.keys()].map((sessionId) => this.closeSession(sessionId)))
    await this.log.releaseHost(this.lease)
    await this.log.close()
  }

  /** Whoever opens a session that is being closed waits until that is over. */
  async #reopen(sessionId: SessionId, manner: Manner): Promise<Opened> {
    await this.#closing.get(sessionId)
    return openSession(this.#services, sessionId, manner)
  }

  #keep(sessionId: SessionId, opening: Promise<Opened>): Promise<Opened> {
    const forget = () => this.#open.get(sessionId) === kept && this.#open.delete(sessionId)
    const kept: Promise<Opened> = opening.then(
      (opened) => {
        if (opened.kind === "refused") forget()
        return opened
      },
      async (fault: unknown) => {
        forget()
        await this.log.release(this.lease, sessionId)
        throw fault
      },
    )
    this.#open.set(sessionId, kept)
    return kept
  }

  async #renew(): Promise<void> {
    const renewed = await this.log.renew(this.lease)
    if (renewed.kind === "ok" && renewed.value) return
    if (renewed.kind === "refused") return this.#warn(`the lease was not renewed: ${renewed.refusal.code}`)
    for (const session of await this.#sessions()) session.lose({ code: "log.fenced", sessionId: session.id })
  }

  async #sessions(): Promise<readonly SessionActor[]> {
    const opened = await Promise.all(this.#open.values())
    return opened.flatMap((one) => (one.kind === "opened" ? [one.session] : []))
  }

  #warn(message: string): void {
    for (const sessionId of this.#open.keys()) this.#services.warn(message, sessionId)
  }
}
