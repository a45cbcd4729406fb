// A socket for each local session that a host has open, for as long as the session lives there. One that has ended has
// none; one that comes back gets a new one. Sessions of the network door have none of their own.
import { setTimeout as sleep } from "node:timers/promises"
import type { Recorded } from "../../contract/events.ts"
import type { SessionId } from "../../contract/ids.ts"
import { openIpcDoor, type IpcDoor } from "../../doors/ipc/ipc-door.ts"
import { newId, newSessionId } from "../../host/new-ids.ts"
import { defaultBlocked } from "../../protocols/ipc/slash/blocked.ts"
import type { SessionActor } from "../../runner/session-actor.ts"
import { homeKey } from "../../secrets/home-key.ts"
import { newSessionToken } from "../../secrets/own-secrets.ts"
import type { Admits } from "../../transports/unix-socket.ts"
import { admitPeers } from "../admit-peers.ts"
import type { RunningHouse } from "../compose.ts"
import { localUser } from "../local-user.ts"
import type { Surroundings } from "../surroundings.ts"
import { say } from "../terminal.ts"
import { ipcFolder } from "./ipc-folder.ts"

type Opening = Promise<IpcDoor | undefined>

/** How long a viewer that has an agent made waits for the agent's own socket. */
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

export class SessionDoors {
  readonly folder: string
  readonly #around: Surroundings
  readonly #running: RunningHouse
  readonly #doors = new Map<SessionId, Opening>()
  readonly #leave: () => void
  readonly #admits: Admits

  constructor(around: Surroundings, running: RunningHouse) {
    this.#around = around
    this.#running = running
    this.#admits = admitPeers(running.toolGroups)
    this.folder = ipcFolder(around.home, around.config)
    this.#leave = running.house.attend((session) => this.#attend(session))
  }

  /** Nothing when the session is not open here, or its socket could not be made. */
  of(sessionId: SessionId): Opening {
    return this.#doors.get(sessionId) ?? Promise.resolve(undefined)
  }

  async close(): Promise<void> {
    this.#leave()
    await Promise.all([...this.#doors.keys()].map((sessionId) => this.#shut(sessionId)))
  }

  #attend(session: SessionActor): void {
    if (session.state.created?.org !== "local") return
    if (session.state.life !== "ended") this.#open(session)
    session.watch((item) => {
      if (item.kind === "lost") void this.#shut(session.id)
      else if (item.kind === "event") this.#onEvent(session, item.recorded)
    })
  }

  #onEvent(session: SessionActor, { at, event }: Recorded): void {
    if (event.type === "session.reopened") return this.#open(session)
    if (event.type === "session.ended") return this.#shutSoon(session.id, event.reason)
    if (turningPoints.has(event.type)) void this.#describe(session, at)
  }

  /** Others read there who is busy with what, also while nobody looks. */
  async #describe({ id, status }: SessionActor, at: number): Promise<void> {
    const { model, parentId, inTurn, compacting } = status
    const change = { model, parent_agent_id: parentId ?? null, is_busy: inTurn || compacting }
    ;(await this.of(id))?.metadata({ ...change, last_activity: Math.floor(at / 1000) })
  }

  /** One after the other: the files of the door before are gone when the next one makes its own. */
  #open({ id }: SessionActor): void {
    const before = this.#doors.get(id)?.then((door) => door?.closed)
    const opening = Promise.resolve(before).then(() => this.#openDoor(id))
    this.#doors.set(id, opening)
  }

  async #openDoor(sessionId: SessionId): Opening {
    const { config, home } = this.#around
    const { port, role } = this.#running
    try {
      return await openIpcDoor({
        sessionId,
        folder: this.folder,
        port,
        admits: this.#admits,
        by: { principal: localUser(), door: "ipc" },
        // brainwires kills the process that it finds there; a host has other sessions too
        pid: config.ipc?.brainwires === true && role !== "agent" ? null : process.pid,
        newId,
        newToken: () => newSessionToken(homeKey(home)),
        newSessionId: () => newSessionId(Date.now()),
        now: Date.now,
        blockedCommands: config.ipc?.blockedCommands ?? defaultBlocked,
        newSessionOnce: config.ipc?.newSessionOnce ?? false,
        childReady: (childId) => this.#ready(childId),
        warn: (sentence) => say(`turnhouse: session ${sessionId.slice(0, 8)}: ${sentence}`),
      })
    } catch (fault) {
      say(`turnhouse: session ${sessionId} has no socket: ${fault instanceof Error ? fault.message : String(fault)}`)
      return undefined
    }
  }

  async #ready(childId: SessionId): Promise<void> {
    for (const deadline = Date.now() + childReadyMs; Date.now() < deadline; await sleep(lookEveryMs))
      if ((await this.of(childId)) !== undefined) return
    throw new Error(`it has no socket after ${childReadyMs / 1000} seconds`)
  }

  /** Whoever wanted the end is acknowledged first. A session that is back by then has another door, which stays. */
  #shutSoon(sessionId: SessionId, reason: string): void {
    const opening = this.#doors.get(sessionId)
    setImmediate(() => void this.#shut(sessionId, reason, opening))
  }

  async #shut(sessionId: SessionId, reason?: string, opening = this.#doors.get(sessionId)): Promise<void> {
    await (await opening)?.close(reason)
    if (this.#doors.get(sessionId) === opening) this.#doors.delete(sessionId)
  }
}
