// The socket of one session, for any number of brainwires viewers. The door owns three files (socket, token, description)
// while it is open, and closes by itself when the session ends.
import { setImmediate } from "node:timers/promises"
import type { SessionStatus } from "../../projection/status.ts"
import { metadataOf } from "../../protocols/ipc/agent-descriptions.ts"
import { agentFiles, isAgentId, type AgentFiles } from "../../protocols/ipc/agent-paths.ts"
import { decodeMetadata } from "../../protocols/ipc/codec.ts"
import { ipcErrors } from "../../protocols/ipc/errors.ts"
import type { AgentMetadata } from "../../protocols/ipc/frames.ts"
import { type HandshakePolicy, sealingKey } from "../../protocols/ipc/handshake.ts"
import { frameLimits, ipcLimits, type IpcLimits } from "../../protocols/ipc/limits.ts"
import type { SessionView } from "../../protocols/ipc/view/session-view.ts"
import { claimSocket, SocketTaken, type ClaimedSocket } from "../../transports/claimed-socket.ts"
import { readSmallFile } from "../../transports/small-file.ts"
import { OwnFiles } from "./agent-files.ts"
import type { IpcDoorOptions } from "./door-options.ts"
import { Frame } from "./frame.ts"
import { LiveSession, SessionUnavailable } from "./live-session.ts"
import { RequestHandler } from "./request-handler.ts"
import { Viewer, type ViewerDeps } from "./viewer.ts"

export { ipcErrors as errors, ipcLimits as limits, openIpcDoor as open }

/** There is no door: the id cannot be a file name, or another process listens there. */
export class IpcDoorFault extends Error {
  override readonly name = "IpcDoorFault"
}

const describing = "writing the session's description failed"

/** Touches no file before the id was checked. */
export async function openIpcDoor(options: IpcDoorOptions): Promise<IpcDoor> {
  const { sessionId, folder } = options
  if (!isAgentId(sessionId)) throw new IpcDoorFault(`${JSON.stringify(sessionId)} cannot be the name of a socket`)
  const door = new IpcDoor(options, options.status ?? (await queryStatus(options)))
  try {
    await door.listen()
    return door
  } catch (fault) {
    throw fault instanceof SocketTaken ? new IpcDoorFault(`${fault.message} in ${folder}`) : fault
  }
}

async function queryStatus({ port, sessionId }: IpcDoorOptions): Promise<SessionStatus> {
  const answered = await port.query({ type: "session", sessionId })
  if (answered.kind === "refused") throw new SessionUnavailable(answered.refusal)
  return answered.value.status
}

export class IpcDoor {
  /** Resolves when the session has ended or `close` was called, and nothing of the door is left. */
  readonly closed: Promise<void>
  readonly #options: IpcDoorOptions
  readonly #limits: IpcLimits
  readonly #paths: AgentFiles
  readonly #files: OwnFiles
  readonly #live: LiveSession
  readonly #requests: RequestHandler
  readonly #viewerDeps: ViewerDeps
  readonly #viewers = new Set<Viewer>()
  readonly #closed = Promise.withResolvers<void>()
  #claimed: ClaimedSocket | undefined
  #aliases: readonly string[]
  #hadViewer = false
  #overReason: string | undefined
  #closing: Promise<void> | undefined

  constructor(options: IpcDoorOptions, status: SessionStatus) {
    const { sessionId, folder, pid, now } = options
    this.closed = this.#closed.promise
    this.#options = options
    this.#limits = { ...ipcLimits, ...options.limits }
    this.#paths = agentFiles(folder, sessionId)
    this.#aliases = status.aliases
    const metadata = metadataOf(sessionId, status, { pid, now: now() })
    this.#files = new OwnFiles(this.#paths, options.newToken(), metadata, (fault) => this.#warn(describing, fault))
    const onOver = (reason: string) => this.#onOver(reason)
    this.#live = new LiveSession({ ...options, onEvent: (view) => this.#onEvent(view), onOver })
    const { lockGraceMs } = this.#limits
    this.#requests = new RequestHandler({ ...options, live: this.#live, lockGraceMs, onExit: onOver })
    this.#viewerDeps = {
      limits: this.#limits,
      live: this.#live,
      requests: this.#requests,
      key: sealingKey(this.#files.token),
      policy: () => this.#policy(),
      onAccepted: () => this.#onAccepted(),
      onActivity: () => this.metadata({ last_activity: Math.floor(now() / 1000) }),
      onGone: (viewer) => this.#viewers.delete(viewer),
      warn: options.warn,
    }
  }

  get isInUse(): boolean {
    return this.#viewers.size > 0
  }

  /** Whether viewers that connect to the session's socket reach this process. */
  get isReachable(): boolean {
    return this.#closing === undefined && this.#claimed?.isCurrent() === true
  }

  /** Called once, before anything else. */
  async listen(): Promise<void> {
    this.#claimed = await claimSocket(
      this.#paths.socket,
      this.#options.admits,
      (socket) => void this.#viewers.add(new Viewer(socket, this.#viewerDeps)),
      { beforehand: () => this.#files.write(), mayReplace: () => this.#mayReplace() },
    )
  }

  /** For the host, which knows the state of the session while no viewer watches. */
  metadata(change: Partial<AgentMetadata>): void {
    this.#attempt(describing, () => this.#files.describe(change))
  }

  /** Accepts no more viewers, sends the connected ones the reason, and gives them a moment to read it. */
  close(reason = this.#overReason ?? "Agent is exiting"): Promise<void> {
    this.#closing ??= this.#close(reason).finally(() => this.#closed.resolve())
    return this.#closing
  }

  async #close(reason: string): Promise<void> {
    this.#attempt("removing the session's socket failed", () => this.#claimed?.leave())
    this.#attempt("removing the session's files failed", () => this.#files.remove())
    await setImmediate() // the request that caused it is acknowledged first
    const viewers = [...this.#viewers]
    const lastFrame = new Frame({ type: "exiting", reason })
    for (const viewer of viewers) viewer.dismiss(lastFrame)
    const deadline = Promise.withResolvers<void>()
    const timer = setTimeout(deadline.resolve, this.#limits.closeMs)
    await Promise.race([Promise.all(viewers.map(({ closed }) => closed)), deadline.promise])
    clearTimeout(timer)
    for (const viewer of viewers) viewer.destroy()
    this.#live.close()
    this.#requests.close()
    await this.#claimed?.closed
  }

  async #mayReplace(): Promise<boolean> {
    if (this.#options.replaces !== true) return false
    const text = await readSmallFile(this.#paths.metadata, frameLimits.metadataBytes)
    return text !== undefined && decodeMetadata(text)?.session_id === this.#options.sessionId
  }

  #onOver(reason: string): void {
    this.#overReason = reason
    this.close().catch((fault: unknown) => this.#options.warn(`closing the session's socket failed: ${String(fault)}`))
  }

  /** A failing disk must not affect connected viewers. */
  #attempt(warning: string, act: () => void): void {
    try {
      act()
    } catch (fault) {
      this.#warn(warning, fault)
    }
  }

  #warn(warning: string, fault: unknown): void {
    this.#options.warn(`${warning}: ${String(fault)}`)
  }

  #policy(): HandshakePolicy {
    const { sessionId, newSessionOnce } = this.#options
    const acceptsNew = !(newSessionOnce && this.#hadViewer)
    return { sessionId, aliases: this.#aliases, token: this.#files.token, acceptsNew }
  }

  #onAccepted(): void {
    this.#hadViewer = true
    this.#attempt("writing the session's token failed", () => this.#files.ensureToken())
  }

  #onEvent({ status, sessionId }: SessionView): void {
    const { pid, now } = this.#options
    this.#aliases = status.aliases
    this.metadata(metadataOf(sessionId, status, { pid, now: now() }))
  }
}
