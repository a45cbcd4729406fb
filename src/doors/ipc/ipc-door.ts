// The socket of one session: brainwires' viewers come in here, as many as like. The door owns three files beside each
// other (socket, token, description) from its opening to its closing, and closes by itself when the session ends.
import { setImmediate } from "node:timers/promises"
import type { HostPort } from "../../contract/host-port.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { By } from "../../contract/values.ts"
import type { AgentMetadata } from "../../protocols/ipc/frames.ts"
import type { Welcome } from "../../protocols/ipc/handshake.ts"
import { maxMetadataBytes } from "../../protocols/ipc/agent-listing.ts"
import { metadataOf } from "../../protocols/ipc/agent-metadata.ts"
import { agentFiles, isAgentId, type AgentFiles } from "../../protocols/ipc/agent-paths.ts"
import { readMetadata } from "../../protocols/ipc/codec.ts"
import { sealingKey } from "../../protocols/ipc/sealing.ts"
import { isBusy, type IpcView } from "../../protocols/ipc/view/session-view.ts"
import { sessionLine, type SessionLine } from "../../protocols/rpc/answers.ts"
import { claimSocket, SocketTaken, type ClaimedSocket } from "../../transports/claimed-socket.ts"
import type { Admits } from "../../transports/unix-socket.ts"
import { readSmallFile } from "../../transports/small-file.ts"
import { OwnFiles } from "./agent-files.ts"
import { Desk } from "./request-handler.ts"
import { Frame } from "./frame.ts"
import { ipcLimits, type IpcLimits } from "../../protocols/ipc/limits.ts"
import { LiveView, NoView } from "./live-view.ts"
import { Viewer, type ViewerDeps } from "./viewer.ts"

export interface IpcDoorOptions {
  readonly sessionId: SessionId
  /** Of the session, where the caller knows it; else it is asked for. */
  readonly status?: SessionLine["status"] | undefined
  /** Where the files lie. */
  readonly folder: string
  /**
   * The host has the right to the session's socket. What another host of the home holds there is replaced: it may be
   * frozen, or about to leave. The socket of another program is never replaced.
   */
  readonly replaces?: boolean
  readonly port: HostPort
  /** Which processes may connect. */
  readonly admits: Admits
  readonly by: By
  /** Of the host, as others see it. */
  readonly pid: number | null
  readonly newId: () => string
  /** 64 hexadecimal digits. */
  readonly newToken: () => string
  readonly newSessionId: () => SessionId
  readonly now: () => number
  readonly limits?: Partial<IpcLimits>
  readonly blockedCommands: readonly string[]
  /** After its first viewer the session takes only those that bring its token. */
  readonly newSessionOnce: boolean
  /** Resolves when a child of the session can be reached at a socket of its own. */
  readonly childReady: (childId: SessionId) => Promise<void>
  readonly warn: (message: string) => void
}

/** Why there is no door: the id cannot be the name of a file, or somebody else listens there. */
export class IpcDoorFault extends Error {
  override readonly name = "IpcDoorFault"
  readonly why: "id" | "taken"

  constructor(why: IpcDoorFault["why"], message: string) {
    super(message)
    this.why = why
  }
}

/** Nothing is looked at or written before the id was found to be a name. */
export async function openIpcDoor(options: IpcDoorOptions): Promise<IpcDoor> {
  const { sessionId, folder } = options
  if (!isAgentId(sessionId)) throw new IpcDoorFault("id", `${JSON.stringify(sessionId)} cannot be the name of a socket`)
  const door = new IpcDoor(options, options.status ?? (await askStatus(options)))
  try {
    await door.listen()
    return door
  } catch (fault) {
    throw fault instanceof SocketTaken ? new IpcDoorFault("taken", `${fault.message} in ${folder}`) : fault
  }
}

async function askStatus({ port, sessionId }: IpcDoorOptions): Promise<SessionLine["status"]> {
  const answered = await port.query({ type: "session", sessionId })
  if (answered.kind === "refused") throw new NoView(answered.refusal)
  return sessionLine(answered.value).status
}

export class IpcDoor {
  /** Resolves when the session has ended or `close` was called, and nothing of the door is left. */
  readonly closed: Promise<void>
  readonly #options: IpcDoorOptions
  readonly #limits: IpcLimits
  readonly #places: AgentFiles
  readonly #files: OwnFiles
  readonly #live: LiveView
  readonly #desk: Desk
  readonly #viewerDeps: ViewerDeps
  readonly #viewers = new Set<Viewer>()
  readonly #closed = Promise.withResolvers<void>()
  #claimed: ClaimedSocket | undefined
  #aliases: readonly string[]
  #hadViewer = false
  /** Of the session's end. */
  #overReason: string | undefined
  #closing: Promise<void> | undefined

  constructor(options: IpcDoorOptions, status: SessionLine["status"]) {
    const { sessionId, folder, pid, now } = options
    this.closed = this.#closed.promise
    this.#options = options
    this.#limits = { ...ipcLimits, ...options.limits }
    this.#places = agentFiles(folder, sessionId)
    this.#aliases = status.aliases
    this.#files = new OwnFiles(
      this.#places,
      options.newToken(),
      metadataOf(sessionId, status, { pid, activeAt: now(), isBusy: isBusy(status) }),
    )
    const onOver = (reason: string) => this.#over(reason)
    this.#live = new LiveView({ ...options, onEvent: (view) => this.#follow(view), onOver })
    const { lockGraceMs } = this.#limits
    this.#desk = new Desk({ ...options, live: this.#live, lockGraceMs, onExit: onOver })
    this.#viewerDeps = {
      limits: this.#limits,
      live: this.#live,
      desk: this.#desk,
      key: sealingKey(this.#files.token),
      welcome: () => this.#welcome(),
      onAccepted: () => this.#accepted(),
      onActivity: () => this.metadata({ last_activity: Math.floor(now() / 1000) }),
      onGone: (viewer) => this.#viewers.delete(viewer),
      warn: options.warn,
    }
  }

  get isInUse(): boolean {
    return this.#viewers.size > 0
  }

  /** Viewers that connect to the session's socket come here, and not to another process. */
  get isReachable(): boolean {
    return this.#closing === undefined && this.#claimed?.isCurrent() === true
  }

  /** Called once, before anything else. */
  async listen(): Promise<void> {
    this.#claimed = await claimSocket(
      this.#places.socket,
      this.#options.admits,
      (socket) => void this.#viewers.add(new Viewer(socket, this.#viewerDeps)),
      { beforehand: () => this.#files.write(), mayReplace: () => this.#mayReplace() },
    )
  }

  /** For whoever knows what goes on in the session while nobody looks. */
  metadata(change: Partial<AgentMetadata>): void {
    this.#attempt("its description was not written", () => this.#files.describe(change))
  }

  /** Nobody comes in from now on; who is in is told why, and given a moment to read it. */
  close(reason = this.#overReason ?? "Agent is exiting"): Promise<void> {
    this.#closing ??= this.#close(reason).finally(() => this.#closed.resolve())
    return this.#closing
  }

  async #close(reason: string): Promise<void> {
    this.#attempt("its socket was not removed", () => this.#claimed?.leave())
    this.#attempt("its files were not removed", () => this.#files.remove())
    await setImmediate() // whoever asked for it is acknowledged first
    const viewers = [...this.#viewers]
    const lastWord = new Frame({ type: "exiting", reason })
    for (const viewer of viewers) viewer.dismiss(lastWord)
    const enough = Promise.withResolvers<void>()
    const deadline = setTimeout(enough.resolve, this.#limits.lastWordsMs)
    await Promise.race([Promise.all(viewers.map(({ closed }) => closed)), enough.promise])
    clearTimeout(deadline)
    for (const viewer of viewers) viewer.destroy()
    this.#live.close()
    this.#desk.close()
    await this.#claimed?.closed
  }

  async #mayReplace(): Promise<boolean> {
    if (this.#options.replaces !== true) return false
    const described = await readSmallFile(this.#places.metadata, maxMetadataBytes)
    return described !== undefined && readMetadata(described)?.session_id === this.#options.sessionId
  }

  #over(reason: string): void {
    this.#overReason = reason
    this.close().catch((fault: unknown) => this.#options.warn(`the socket was not left in order: ${String(fault)}`))
  }

  /** A disk that fails hurts nobody who is in. */
  #attempt(otherwise: string, act: () => void): void {
    try {
      act()
    } catch (fault) {
      this.#options.warn(`${otherwise}: ${String(fault)}`)
    }
  }

  #welcome(): Welcome {
    const { sessionId, newSessionOnce } = this.#options
    const takesNew = !(newSessionOnce && this.#hadViewer)
    return { sessionId, aliases: this.#aliases, token: this.#files.token, takesNew }
  }

  #accepted(): void {
    this.#hadViewer = true
    this.#attempt("its token was not written", () => this.#files.ensureToken())
  }

  #follow(view: IpcView): void {
    this.#aliases = view.status.aliases
    this.metadata(view.metadata(this.#options.pid, this.#options.now()))
  }
}
