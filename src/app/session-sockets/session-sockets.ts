// The session sockets of a host: for its open sessions and, if it is elected, for sessions that no host has open, which
// open when a viewer connects. Ended and suspended sessions and those of the WebSocket API have none.
import { messageOf } from "../app-fault.ts"
import { setTimeout as sleep } from "node:timers/promises"
import type { HostPort } from "../../contract/host-port.ts"
import type { Recorded } from "../../contract/events.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { Refusal } from "../../contract/refusals.ts"
import type { IpcDoor } from "../../doors/ipc/door.ts"
import { doors } from "../../doors/table.ts"
import { newId, newSessionId } from "../../host/new-ids.ts"
import { localOrg } from "../../identity/principal.ts"
import type { SessionRow } from "../../log/event-log.ts"
import type { SessionStatus } from "../../projection/status.ts"
import { defaultBlocked } from "../../slash-commands/resolve.ts"
import type { SessionActor } from "../../runner/session-actor.ts"
import { homeKey } from "../../secrets/home-key.ts"
import { newSessionToken } from "../../secrets/own-secrets.ts"
import type { Admits } from "../../transports/unix-socket.ts"
import { admitPeers } from "../host/admit-peers.ts"
import type { RunningHost } from "../compose.ts"
import { localUser } from "../local-user.ts"
import type { HomeConnection } from "../host/home-connection.ts"
import type { AppContext } from "../context.ts"
import { printNotice } from "../terminal.ts"
import {
  closedSessions,
  isPersistentRole,
  MAX_CLOSED_SOCKETS,
  mayHaveSocket,
  servesClosedSessions,
} from "./closed-sessions.ts"
import { ipcFolder } from "./ipc-folder.ts"

type Opening = Promise<IpcDoor | undefined>

/** How long a viewer that spawns an agent waits for the agent's socket. */
const childReadyMs = 10_000
const lookEveryMs = 20
const turningPoints: ReadonlySet<string> = new Set([
  "turn.started",
  "turn.ended",
  "compaction.started",
  "compaction.failed",
  "context.compacted",
  "model.selected",
  "session.orphaned",
])

const leavingRole = ", leaving"
/** Interval of the check for missing sockets; the first check is later if clients wait for the start. */
const persistentRoundMs = 500
const otherRoundMs = 5000
const firstRoundMs = 1000
/** Interval of the check for removed sessions and for sessions that a live host has closed. */
const scanEveryMs = 10_000

export class SessionSockets {
  readonly folder: string
  readonly #context: AppContext
  readonly #running: RunningHost
  readonly #admits: Admits
  readonly #doors = new Map<SessionId, Opening>()
  /** Sessions that this host has open. */
  readonly #open = new Map<SessionId, SessionActor>()
  /** Sessions whose missing socket was reported. */
  readonly #reported = new Set<SessionId>()
  readonly #leave: () => void
  /** Opened when it is first needed. */
  #background: Promise<HomeConnection> | undefined
  readonly #roundMs: number
  #timer: NodeJS.Timeout | undefined
  #round: Promise<void> = Promise.resolve()
  #hostsSeen = ""
  #scannedAt = 0
  #isClosing = false

  constructor(context: AppContext, running: RunningHost) {
    this.#context = context
    this.#running = running
    this.#admits = admitPeers(running.toolGroups)
    this.folder = ipcFolder(context.home, context.config)
    this.#leave = running.host.onSession((session) => this.#onSession(session))
    this.#roundMs = isPersistentRole(running.role) ? persistentRoundMs : otherRoundMs
    this.#timer = setTimeout(() => this.#nextRound(), isPersistentRole(running.role) ? 0 : firstRoundMs).unref()
  }

  /** Nothing if the session has no socket here, or it could not be created. */
  of(sessionId: SessionId): Opening {
    return this.#doors.get(sessionId) ?? Promise.resolve(undefined)
  }

  async close(): Promise<void> {
    this.#isClosing = true
    clearTimeout(this.#timer)
    this.#leave()
    await this.#round
    await Promise.all([...this.#doors.keys()].map((sessionId) => this.#closeSocket(sessionId)))
    await (await this.#background)?.close()
  }

  #onSession(session: SessionActor): void {
    if (session.state.created?.org === localOrg) this.#serveSession(session)
    else this.#awaitOperator(session)
  }

  /** A visitor's session has no socket until the operator attaches to it. */
  #awaitOperator(session: SessionActor): void {
    const unwatch = session.watch((item) => {
      if (item.kind !== "delta" || item.delta.type !== "presence.changed") return
      if (!session.watching.some(({ door }) => door === "attach")) return
      unwatch()
      this.#serveSession(session)
    })
  }

  #serveSession(session: SessionActor): void {
    this.#open.set(session.id, session)
    if (session.state.life !== "ended") this.#ensure(session.id)
    session.watch((item) => {
      if (item.kind === "lost") this.#onLost(session, item.refusal)
      else if (item.kind === "event") this.#onEvent(session, item.recorded)
    })
  }

  /** The socket of a session that this host has closed stays; a connection opens the session again. */
  #onLost({ id, status }: SessionActor, { code }: Refusal): void {
    this.#open.delete(id)
    if (code !== "host.gone" || !mayHaveSocket(status)) void this.#closeSocket(id)
  }

  #onEvent(session: SessionActor, { at, event }: Recorded): void {
    if (event.type === "session.reopened") return this.#ensure(session.id)
    if (event.type === "session.hibernated") return void this.#closeSocket(session.id)
    if (event.type === "session.ended") return this.#closeSocketSoon(session.id, event.reason)
    if (turningPoints.has(event.type)) void this.#describe(session, at)
  }

  /** Other programs read the state of the agent there, also while no viewer is connected. */
  async #describe({ id, status }: SessionActor, at: number): Promise<void> {
    const { model, parentId, inTurn, compacting } = status
    const change = { model, parent_agent_id: parentId ?? null, is_busy: inTurn || compacting }
    ;(await this.of(id))?.metadata({ ...change, last_activity: Math.floor(at / 1000) })
  }

  /** Keeps a door that serves the socket; otherwise its files are removed before the next one creates its own. */
  #ensure(sessionId: SessionId, status?: SessionStatus): void {
    const opening = this.of(sessionId).then(async (before) => {
      if (before?.isReachable === true) return before
      await before?.close()
      return this.#isClosing ? undefined : this.#openDoor(sessionId, status)
    })
    this.#doors.set(sessionId, opening)
  }

  async #openDoor(sessionId: SessionId, status: SessionStatus | undefined): Opening {
    const { config, home } = this.#context
    const { role } = this.#running
    try {
      const { open } = await doors.ipc.load()
      return await open({
        sessionId,
        status,
        folder: this.folder,
        port: await this.#portFor(sessionId),
        replaces: true,
        admits: this.#admits,
        by: { principal: localUser(), door: "ipc" },
        // brainwires kills the process in the metadata; a host has other sessions too
        pid: config.ipc?.brainwires === true && role !== "agent" ? null : process.pid,
        newId,
        newToken: () => newSessionToken(homeKey(home)),
        newSessionId: () => newSessionId(Date.now()),
        now: Date.now,
        blockedCommands: config.ipc?.blockedCommands ?? defaultBlocked,
        newSessionOnce: config.ipc?.newSessionOnce ?? false,
        childReady: (childId) => this.#ready(childId),
        warn: (sentence) => printNotice(`turnhouse: session ${sessionId.slice(0, 8)}: ${sentence}`),
      })
    } catch (fault) {
      const what = messageOf(fault)
      if (!this.#reported.has(sessionId)) printNotice(`turnhouse: session ${sessionId} has no socket: ${what}`)
      this.#reported.add(sessionId)
      return undefined
    }
  }

  async #portFor(sessionId: SessionId): Promise<HostPort> {
    const { role, port } = this.#running
    if (this.#open.has(sessionId) || isPersistentRole(role)) return port
    this.#background ??= this.#connectBackground()
    return (await this.#background).port
  }

  /** After a failure the next session tries again. */
  async #connectBackground(): Promise<HomeConnection> {
    try {
      const { connectHome } = await import("../host/home-connection.ts")
      return await connectHome(this.#context, "ipc")
    } catch (fault) {
      this.#background = undefined
      throw fault
    }
  }

  #nextRound(): void {
    this.#round = this.#scanSessions()
      .catch((fault: unknown) => printNotice(`turnhouse: session sockets could not be checked: ${String(fault)}`))
      .finally(() => {
        if (!this.#isClosing) this.#timer = setTimeout(() => this.#nextRound(), this.#roundMs).unref()
      })
  }

  /** Lists the sessions when a host has started or exited, while one leaves, and periodically. */
  async #scanSessions(): Promise<void> {
    await this.#retry()
    const { log, lease } = this.#running.host
    const hosts = await log.hosts("of this node")
    if (hosts.kind === "refused") return
    const seen = hosts.value.map(({ hostId, role }) => `${hostId} ${role}`).join()
    const isLeaving = hosts.value.some(({ role }) => role.endsWith(leavingRole))
    if (seen === this.#hostsSeen && !isLeaving && Date.now() - this.#scannedAt < scanEveryMs) return
    const rows = await log.list({ org: localOrg, limit: MAX_CLOSED_SOCKETS })
    if (rows.kind === "refused") return
    this.#hostsSeen = seen
    this.#scannedAt = Date.now()
    await this.#serve(rows.value, servesClosedSessions(hosts.value, lease.hostId))
  }

  /** The socket of another program may have occupied the path. */
  async #retry(): Promise<void> {
    for (const { id, status } of this.#open.values())
      if (mayHaveSocket(status) && (await this.of(id)) === undefined) this.#ensure(id)
  }

  async #serve(rows: readonly SessionRow[], servesClosed: boolean): Promise<void> {
    const closed = closedSessions(rows)
    for (const { sessionId, status } of servesClosed ? closed : []) {
      if (this.#isClosing) return
      this.#ensure(sessionId, status)
      await this.of(sessionId)
    }
    const isClosed = new Set(closed.map(({ sessionId }) => sessionId))
    for (const [sessionId, opening] of this.#doors) {
      const door = await opening
      const isMissed = isClosed.has(sessionId) && door?.isReachable === true // no other host has replaced it
      if (!isMissed && door?.isInUse !== true && !this.#open.has(sessionId)) await this.#closeSocket(sessionId)
    }
  }

  async #ready(childId: SessionId): Promise<void> {
    for (const deadline = Date.now() + childReadyMs; Date.now() < deadline; await sleep(lookEveryMs))
      if ((await this.of(childId)) !== undefined) return
    throw new Error(`no socket after ${childReadyMs / 1000} seconds`)
  }

  /** After the acknowledgement to the client that ended it. A session that is open again has another door, which stays. */
  #closeSocketSoon(sessionId: SessionId, reason: string): void {
    const opening = this.#doors.get(sessionId)
    setImmediate(() => void this.#closeSocket(sessionId, reason, opening))
  }

  async #closeSocket(sessionId: SessionId, reason?: string, opening = this.#doors.get(sessionId)): Promise<void> {
    await (await opening)?.close(reason)
    if (this.#doors.get(sessionId) === opening) this.#doors.delete(sessionId)
  }
}
