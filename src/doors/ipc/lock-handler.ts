// The locks that viewers ask for. A lock belongs to the session, whoever of its viewers took it; here is remembered which
// of them did, so that it is given back when the last of them is gone without a word. Nobody waits: who is refused may
// ask again. All are told of changes by the session itself, before the answer.
import type { Answered, HostPort } from "../../contract/host-port.ts"
import type { SessionId } from "../../contract/ids.ts"
import { memberIn, textIn } from "../../contract/json-object.ts"
import { limits } from "../../contract/limits.ts"
import { describeRefusal } from "../../contract/describe-refusal.ts"
import type { AgentMessage, ViewerMessage } from "../../protocols/ipc/frames.ts"
import { lockStatus } from "../../protocols/ipc/view/lock-frames.ts"
import { ack, problem } from "../../protocols/ipc/errors.ts"

export interface LockDeskDeps {
  readonly sessionId: SessionId
  readonly port: HostPort
  /** How long a lock stays whose takers are gone without a word. */
  readonly graceMs: number
  /** To everybody. */
  readonly say: (message: AgentMessage) => void
  readonly warn: (message: string) => void
}

/** Whoever sent the message. */
export interface LockAsker {
  answer(message: AgentMessage): void
}

type Of<Type extends ViewerMessage["type"]> = Extract<ViewerMessage, { type: Type }>
type Named = Pick<Of<"release_lock">, "resource_type" | "scope">

/** Its scope is the place as the book has it: two ways to write one place are one lock. */
interface TakenLock extends Named {
  readonly takers: Set<LockAsker>
}

/** As long as a path can be. */
const longestScope = 4096
const tooLong: Answered = {
  kind: "refused",
  refusal: { code: "frame.bad", what: `a scope has at most ${longestScope} characters` },
}
const notHeld = problem("Lock not held")

export class LockDesk {
  readonly #deps: LockDeskDeps
  readonly #taken = new Map<string, TakenLock>()
  readonly #timers = new Set<NodeJS.Timeout>()

  constructor(deps: LockDeskDeps) {
    this.#deps = deps
  }

  async acquire(asker: LockAsker, { description, ...named }: Of<"acquire_lock">): Promise<void> {
    const query = { ...queryOf(this.#deps.sessionId, named), description: short(description) }
    const answered = isTooLong(named) ? tooLong : await this.#deps.port.query({ type: "acquire-lock", ...query })
    const result = resultOf(named, answered)
    if (result.success) this.#remember({ ...named, scope: placeIn(answered) ?? named.scope }, asker)
    this.#deps.say({ type: "lock_result", ...result })
  }

  async release(asker: LockAsker, message: Of<"release_lock">): Promise<void> {
    const { resource_type, scope } = message
    if (isTooLong(message)) return asker.answer(notHeld)
    const answered = await this.#deps.port.query({ type: "release-lock", ...queryOf(this.#deps.sessionId, message) })
    if (answered.kind === "refused") return asker.answer(problem(describeRefusal(answered.refusal)))
    this.#taken.delete(keyOf({ resource_type, scope: placeIn(answered) ?? scope }))
    if (memberIn(answered.value, "released") !== true) return asker.answer(notHeld)
    this.#deps.say({ type: "lock_released", resource_type, scope })
  }

  async list(asker: LockAsker, { scope }: Of<"query_locks">): Promise<void> {
    const answered = await this.#deps.port.query({ type: "locks" })
    if (answered.kind === "refused") asker.answer(problem(describeRefusal(answered.refusal)))
    else asker.answer(lockStatus(answered.value, scope))
  }

  async setStatus(asker: LockAsker, message: Of<"update_lock_status">): Promise<void> {
    if (isTooLong(message)) return asker.answer(notHeld)
    const query = { ...queryOf(this.#deps.sessionId, message), status: short(message.status) }
    const answered = await this.#deps.port.query({ type: "set-lock-status", ...query })
    if (answered.kind === "refused") return asker.answer(problem(describeRefusal(answered.refusal)))
    if (memberIn(answered.value, "set") !== true) return asker.answer(notHeld)
    this.#deps.say(ack(message.type))
  }

  /** Gone without a word: what only it had taken is given back after a while, unless somebody takes it again. */
  left(asker: LockAsker): void {
    for (const [key, { takers }] of this.#taken) {
      if (!takers.delete(asker) || takers.size > 0) continue
      const timer = setTimeout(() => {
        this.#timers.delete(timer)
        void this.#giveBack(key)
      }, this.#deps.graceMs)
      this.#timers.add(timer.unref())
    }
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer)
  }

  async #giveBack(key: string): Promise<void> {
    const lock = this.#taken.get(key)
    if (lock === undefined || lock.takers.size > 0) return
    this.#taken.delete(key)
    const { sessionId, port, warn } = this.#deps
    const answered = await port.query({ type: "release-lock", ...queryOf(sessionId, lock) })
    if (answered.kind === "refused") warn(`a lock was not given back: ${describeRefusal(answered.refusal)}`)
  }

  #remember(named: Named, asker: LockAsker): void {
    const { resource_type, scope } = named
    const known = this.#taken.get(keyOf(named)) ?? { resource_type, scope, takers: new Set() }
    known.takers.add(asker)
    this.#taken.set(keyOf(named), known)
  }
}

function resultOf({ resource_type, scope }: Named, answered: Answered) {
  const result = { resource_type, scope, error: null, blocking_agent: null }
  if (answered.kind === "refused")
    return { ...result, success: false, error: `Lock acquisition failed: ${describeRefusal(answered.refusal)}` }
  if (memberIn(answered.value, "granted") === true) return { ...result, success: true }
  return {
    ...result,
    success: false,
    error: "Lock held by another agent",
    blocking_agent: textIn(answered.value, "holder") ?? null,
  }
}

function queryOf(sessionId: SessionId, { resource_type: lock, scope }: Named) {
  return { sessionId, lock, scope }
}

function isTooLong({ scope }: Named): boolean {
  return scope.length > longestScope
}

function keyOf({ resource_type, scope }: Named): string {
  return `${resource_type}:${scope}`
}

function placeIn(answered: Answered): string | undefined {
  return answered.kind === "refused" ? undefined : textIn(answered.value, "scope")
}

function short(text: string): string {
  return text.slice(0, limits.nameLength).toWellFormed()
}
