// Locks that viewers take and release. A lock belongs to the session; the handler remembers which viewers took it and
// releases it when the last of them has disconnected without saying so (`disconnect`, `detach`). A refused viewer does not wait; it may try again.
import type { Answered, Refused } from "../../contract/host-port.ts"
import type { LockAcquisition } from "../../contract/views/host.ts"
import { limits } from "../../contract/limits.ts"
import { boundedName } from "../../contract/text/text.ts"
import { describeRefusal } from "../../contract/text/describe-refusal.ts"
import { errorFrame, refusalFrame } from "../../protocols/ipc/errors.ts"
import type { AgentMessage, MessageOf } from "../../protocols/ipc/frames.ts"
import { lockStatus } from "../../protocols/ipc/view/agent-frames.ts"
import type { IpcDoorOptions } from "./door-options.ts"
import type { Requester } from "./frame.ts"

export interface LockHandlerDeps extends Pick<IpcDoorOptions, "sessionId" | "port" | "warn"> {
  /** How long a lock is kept after its last viewer has disconnected without saying so. */
  readonly graceMs: number
  readonly broadcast: (message: AgentMessage) => void
}

type LockName = Pick<MessageOf<"release_lock">, "resource_type" | "scope">

/** The scope is the canonical path: two ways to write one path are one lock. */
interface TrackedLock extends LockName {
  readonly viewers: Set<Requester>
}

const tooLong: Refused = {
  kind: "refused",
  refusal: { code: "frame.bad", what: `a scope has at most ${limits.lockScopeLength} characters` },
}
const notHeld = errorFrame("Lock not held")

export class LockHandler {
  readonly #deps: LockHandlerDeps
  readonly #tracked = new Map<string, TrackedLock>()
  readonly #timers = new Set<NodeJS.Timeout>()

  constructor(deps: LockHandlerDeps) {
    this.#deps = deps
  }

  async acquire(viewer: Requester, { description, ...name }: MessageOf<"acquire_lock">): Promise<void> {
    const query = { ...this.#queryFor(name), description: boundedName(description) }
    const answered = isTooLong(name) ? tooLong : await this.#deps.port.perform({ type: "acquire-lock", ...query })
    const result = resultOf(name, answered)
    if (result.success)
      this.#remember({ ...name, scope: answered.kind === "answer" ? answered.value.scope : name.scope }, viewer)
    this.#deps.broadcast({ type: "lock_result", ...result })
  }

  async release(viewer: Requester, message: MessageOf<"release_lock">): Promise<void> {
    const { resource_type, scope } = message
    if (isTooLong(message)) return viewer.reply(notHeld)
    const answered = await this.#deps.port.perform({ type: "release-lock", ...this.#queryFor(message) })
    if (answered.kind === "refused") return viewer.reply(refusalFrame(answered.refusal))
    this.#tracked.delete(keyOf({ resource_type, scope: answered.value.scope }))
    if (!answered.value.released) return viewer.reply(notHeld)
    this.#deps.broadcast({ type: "lock_released", resource_type, scope })
  }

  async list(viewer: Requester, { scope }: MessageOf<"query_locks">): Promise<void> {
    const answered = await this.#deps.port.query({ type: "locks" })
    viewer.reply(answered.kind === "refused" ? refusalFrame(answered.refusal) : lockStatus(answered.value, scope))
  }

  async setStatus(viewer: Requester, message: MessageOf<"update_lock_status">): Promise<void> {
    if (isTooLong(message)) return viewer.reply(notHeld)
    const query = { ...this.#queryFor(message), status: boundedName(message.status) }
    const answered = await this.#deps.port.perform({ type: "set-lock-status", ...query })
    if (answered.kind === "refused") return viewer.reply(refusalFrame(answered.refusal))
    if (!answered.value.set) return viewer.reply(notHeld)
    this.#deps.broadcast({ type: "ack", command: message.type })
  }

  /** Releases what only this viewer had taken after a while, unless another viewer takes it. */
  disconnected(viewer: Requester): void {
    for (const [key, { viewers }] of this.#tracked) {
      if (!viewers.delete(viewer) || viewers.size > 0) continue
      const timer = setTimeout(() => {
        this.#timers.delete(timer)
        void this.#releaseUnused(key)
      }, this.#deps.graceMs)
      this.#timers.add(timer.unref())
    }
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer)
  }

  async #releaseUnused(key: string): Promise<void> {
    const lock = this.#tracked.get(key)
    if (lock === undefined || lock.viewers.size > 0) return
    this.#tracked.delete(key)
    const answered = await this.#deps.port.perform({ type: "release-lock", ...this.#queryFor(lock) })
    if (answered.kind === "refused") this.#deps.warn(`a lock was not released: ${describeRefusal(answered.refusal)}`)
  }

  #queryFor({ resource_type: lock, scope }: LockName) {
    return { sessionId: this.#deps.sessionId, lock, scope }
  }

  #remember(name: LockName, viewer: Requester): void {
    const { resource_type, scope } = name
    const known = this.#tracked.get(keyOf(name)) ?? { resource_type, scope, viewers: new Set() }
    known.viewers.add(viewer)
    this.#tracked.set(keyOf(name), known)
  }
}

function resultOf({ resource_type, scope }: LockName, answered: Answered<LockAcquisition>) {
  const result = { resource_type, scope, error: null, blocking_agent: null }
  if (answered.kind === "refused")
    return { ...result, success: false, error: `Lock acquisition failed: ${describeRefusal(answered.refusal)}` }
  if (answered.value.granted) return { ...result, success: true }
  const { holder: blocking_agent } = answered.value
  return { ...result, success: false, error: "Lock held by another agent", blocking_agent }
}

function isTooLong({ scope }: LockName): boolean {
  return scope.length > limits.lockScopeLength
}

function keyOf({ resource_type, scope }: LockName): string {
  return `${resource_type}:${scope}`
}
