// One history: processes whose calls and viewers request the same locks, while some are frozen, killed and closed and the
// clock is set. Every operation is recorded with its times.
import { lockOrder, type LockRequest } from "../../../../features/locks/conflicts.ts"
import type { GrantedLock } from "../check/lock-model.ts"
import { pick } from "../../seeded.ts"
import { expiryOf, Recorder } from "./recorder.ts"
import type { LockAnswer } from "./lock-commands.ts"
import type { Stage, StagedProcess } from "./stage.ts"

export interface PlayOptions {
  readonly stage: Stage
  readonly below: (below: number) => number
  /** Begins every scope. No other play has it. */
  readonly place: string
}

export interface PlayFacts {
  readonly operations: number
  readonly freezes: number
  readonly kills: number
  readonly jumps: number
  /** Tools, calls and hosts that were stopped or told because they had lost their lock or session. */
  readonly fenced: number
}

interface Actor {
  readonly process: StagedProcess
  readonly holder: string
}

interface Member {
  readonly process: StagedProcess
  isDead: boolean
  frozenAt: number | undefined
  readonly actors: Promise<void>[]
}

/** Kinds that tools and viewers request; locks of files have no number that a tool could see. */
const kinds = lockOrder.filter((kind) => kind !== "file_read" && kind !== "file_write")
const MAX_THINK_MS = 6000
const MAX_WORK_MS = 4000
const MAX_WAIT_MS = 40_000
const MAX_FREEZE_MS = 60_000
const MAX_CALM_MS = 20_000
const MAX_JUMP_MS = 1_000_000_000

export class LockPlay {
  readonly recorder: Recorder
  readonly #options: PlayOptions
  readonly #groups: ReadonlyMap<string, readonly LockRequest[]>
  readonly #members = new Set<Member>()
  #left: number
  #freezes = 0
  #kills = 0
  #jumps = 0

  constructor(options: PlayOptions) {
    const { below, place } = options
    this.#options = options
    const numbers = Array.from({ length: 1 + below(2) }, (_, number) => `${place}/${number}`)
    this.#groups = new Map(numbers.map((folder) => [folder, requestsIn(folder, below)]))
    this.recorder = new Recorder(numbers)
    this.#left = 20 + below(40)
  }

  get facts(): PlayFacts {
    const { count: operations, fenced } = this.recorder
    return { operations, fenced, freezes: this.#freezes, kills: this.#kills, jumps: this.#jumps }
  }

  async run(): Promise<void> {
    const { below, stage } = this.#options
    const count = 2 + below(3)
    for (let number = 0; number < count; number++) await this.#join()
    await Promise.all(Array.from({ length: below(4) }, () => this.#disturb()))
    for (const member of this.#members) await Promise.all(member.actors)
    for (const { process, isDead } of this.#members) {
      this.#noteStalls(process)
      const freedAt = isDead ? stage.freedAt(process.name) : undefined
      if (freedAt !== undefined) this.recorder.mayExpire(process.name, "all", freedAt, Infinity)
      if (!isDead) await this.#leave(process)
    }
    stage.setClock(0)
  }

  async #join(): Promise<void> {
    const { stage } = this.#options
    const process = await stage.start()
    const member: Member = { process, isDead: false, frozenAt: undefined, actors: [] }
    this.#members.add(member)
    member.actors.push(this.#callActor(member), this.#viewerActor(member))
  }

  /** A process that closes releases what it holds. */
  async #leave(process: StagedProcess): Promise<void> {
    const { stage } = this.#options
    const invokedAt = stage.now()
    await stage.dismiss(process)
    const call = { process: process.name, holder: "", type: "closed" } as const
    for (const group of this.recorder.groups) this.recorder.add(group, call, { invokedAt, respondedAt: stage.now() })
  }

  #noteStalls({ name }: StagedProcess): void {
    const { stage } = this.#options
    for (const { from, until } of stage.stallsOf(name)) this.#mayExpire(name, from, until)
  }

  #mayExpire(process: string, from: number, until: number): void {
    const expiry = expiryOf(from, until, this.#options.stage)
    if (expiry === undefined) return
    this.recorder.mayExpire(process, "all", expiry.from, expiry.until)
    this.recorder.mayQueueAgain(process, until)
  }

  /** A time of the locks. */
  #pause(maxMs: number): Promise<void> {
    const { stage, below } = this.#options
    return stage.pause(below(maxMs) / stage.speed)
  }

  async #callActor(member: Member): Promise<void> {
    const { process } = member
    const actor: Actor = { process, holder: `call of ${process.name}` }
    while (await this.#isNextRound(member)) await this.#callOnce(actor)
  }

  async #viewerActor(member: Member): Promise<void> {
    const { below } = this.#options
    const { process } = member
    const actor: Actor = { process, holder: `viewer of ${process.name}` }
    while (await this.#isNextRound(member)) {
      const group = pick(this.recorder.groups, below)
      const lock = pick(this.#groups.get(group) ?? [], below)
      const what = below(10)
      if (what < 4) await this.#acquire(actor, group, lock)
      else if (what < 7) await this.#askHeld(actor, group, lock, "release")
      else if (what < 8) await this.#askHeld(actor, group, lock, "set-status")
      else await this.#list(actor)
    }
    if (member.isDead) return
    for (const [group, locks] of this.#groups)
      for (const lock of locks) await this.#askHeld(actor, group, lock, "release")
  }

  async #isNextRound(member: Member): Promise<boolean> {
    await this.#pause(MAX_THINK_MS)
    this.#left -= 1
    return this.#left > 0 && !member.isDead
  }

  async #acquire({ process, holder }: Actor, group: string, lock: LockRequest): Promise<void> {
    const who = { process: process.name, holder, requests: [lock] }
    const { answer, ...times } = await this.#ask(() => process.perform({ type: "acquire", holder, lock }))
    if (answer === undefined) this.recorder.add(group, { ...who, type: "requested", canQueue: false }, times)
    else if (answer.type === "granted") this.recorder.add(group, { ...who, ...answer }, times)
    else this.recorder.add(group, { ...who, ...expected("refused", answer) }, times)
  }

  async #askHeld({ process, holder }: Actor, group: string, lock: LockRequest, type: "release" | "set-status") {
    const { answer, ...times } = await this.#ask(() => process.perform({ type, holder, lock }))
    const who = { process: process.name, holder, lock }
    const done = type === "release" ? "released" : "status-set"
    if (answer !== undefined)
      return this.recorder.add(group, { ...who, type: done, wasHeld: expected("held", answer).wasHeld }, times)
    if (type === "release") this.recorder.add(group, { ...who, type: "released", wasHeld: true }, times)
  }

  async #list({ process, holder }: Actor): Promise<void> {
    const { answer, ...times } = await this.#ask(() => process.perform({ type: "list" }))
    if (answer === undefined) return
    const { held, waiting } = expected("list", answer)
    for (const group of this.recorder.groups) {
      const isHere = (scope: string) => scope === group || scope.startsWith(`${group}/`)
      const listed = {
        held: held.flatMap(({ scope, fence }) => (isHere(scope) ? [fence] : [])),
        waiting: waiting.flatMap((one) => (one.scopes.some(isHere) ? [one.holder] : [])),
      }
      this.recorder.add(group, { process: process.name, holder, type: "listed", ...listed }, times)
    }
  }

  async #callOnce(actor: Actor): Promise<void> {
    const { below } = this.#options
    const group = pick(this.recorder.groups, below)
    const requests = this.#someOf(group)
    const granted = await this.#takeLocks(actor, group, requests)
    if (granted === undefined) return
    const fences = granted.map(({ fence }) => fence)
    for (let uses = below(4); uses > 0; uses--) {
      await this.#pause(MAX_WORK_MS)
      await this.#useLocks(actor, group, fences)
    }
    const { process, holder } = actor
    const { answer: _, ...times } = await this.#ask(() => process.perform({ type: "end", holder }))
    this.recorder.add(group, { process: process.name, holder, type: "ended", fences }, times)
  }

  /** One or two locks, which are taken together. */
  #someOf(group: string): readonly LockRequest[] {
    const { below } = this.#options
    const locks = this.#groups.get(group) ?? []
    const first = pick(locks, below)
    const second = pick(locks, below)
    return below(3) > 0 || first === second ? [first] : [first, second]
  }

  /** Undefined if the call does not get them. */
  async #takeLocks(
    { process, holder }: Actor,
    group: string,
    requests: readonly LockRequest[],
  ): Promise<readonly GrantedLock[] | undefined> {
    const { stage, below } = this.#options
    const who = { process: process.name, holder, requests }
    let queued: { readonly by: string; readonly at: number } | undefined
    const onQueued = (by: string, at: number) => (queued = { by, at })
    const waitMs = (1 + below(MAX_WAIT_MS)) / stage.speed
    if (below(4) === 0)
      void stage.pause(below(MAX_WAIT_MS) / stage.speed).then(() => process.perform({ type: "cancel", holder }))
    const asked = this.#ask(() => process.perform({ type: "call", holder, requests, waitMs }, onQueued))
    const { answer, invokedAt, respondedAt } = await asked
    if (queued !== undefined)
      this.recorder.add(group, { ...who, type: "queued", by: queued.by }, { invokedAt, respondedAt: queued.at })
    const times = { invokedAt: queued?.at ?? invokedAt, respondedAt }
    if (answer === undefined) {
      // It may have been queued, and then granted.
      for (let effects = queued === undefined ? 2 : 1; effects > 0; effects--)
        this.recorder.add(group, { ...who, type: "requested", canQueue: true }, times)
      return undefined
    }
    if (answer.type === "granted") {
      this.recorder.add(group, { ...who, ...answer }, times)
      return answer.locks
    }
    if (queued !== undefined) this.recorder.add(group, { process: who.process, holder, type: "gave-up" }, times)
    else if (answer.type !== "cancelled") this.recorder.add(group, { ...who, ...expected("refused", answer) }, times)
    return undefined
  }

  async #useLocks({ process, holder }: Actor, group: string, fences: readonly number[]): Promise<void> {
    const type = this.#options.below(2) === 0 ? "act" : "check"
    const { answer, ...times } = await this.#ask(() => process.perform({ type, holder }))
    if (answer === undefined) return
    const who = { process: process.name, holder, fences }
    if (type === "check")
      this.recorder.add(group, { ...who, type: "checked", lost: expected("lost", answer).fences }, times)
    else this.recorder.add(group, { ...who, type: expected("acted", answer).hasActed ? "acted" : "stopped" }, times)
  }

  async #ask(perform: () => Promise<LockAnswer | undefined>) {
    const { stage } = this.#options
    const invokedAt = stage.now()
    const given = await perform()
    const answer = given?.type === "fault" ? undefined : given
    return { answer, invokedAt, respondedAt: answer === undefined ? undefined : stage.now() }
  }

  /** Freezes, kills and clock changes, until the history is long enough. */
  async #disturb(): Promise<void> {
    const { below, stage } = this.#options
    while (this.#left > 0) {
      await this.#pause(MAX_CALM_MS)
      const living = [...this.#members].filter(({ isDead, frozenAt }) => !isDead && frozenAt === undefined)
      const [member] = living.length === 0 ? [] : [pick(living, below)]
      const what = below(10)
      if (what < 3) {
        this.#jumps += 1
        stage.setClock(below(2 * MAX_JUMP_MS) - MAX_JUMP_MS)
      } else if (member !== undefined && this.#left > 0) {
        if (what < 8) await this.#freeze(member)
        else await this.#kill(member)
      }
    }
  }

  async #freeze(member: Member): Promise<void> {
    const { stage, below } = this.#options
    const { process } = member
    this.#freezes += 1
    member.frozenAt = stage.now()
    process.freeze()
    await this.#pause(MAX_FREEZE_MS)
    if (below(4) === 0) return this.#kill(member)
    const from = member.frozenAt
    process.thaw()
    member.frozenAt = undefined
    this.#mayExpire(process.name, from, stage.now())
  }

  async #kill(member: Member): Promise<void> {
    const { stage } = this.#options
    const { process } = member
    this.#kills += 1
    if (member.frozenAt !== undefined) this.#mayExpire(process.name, member.frozenAt, stage.now())
    this.recorder.mayExpire(process.name, "places", stage.now(), Infinity)
    member.isDead = true
    await process.kill()
    if (this.#left > 0) await this.#join()
  }
}

/** A few kinds in a folder and below it, most of which conflict. */
function requestsIn(folder: string, below: (below: number) => number): readonly LockRequest[] {
  const requests = Array.from({ length: 2 + below(2) }, () => {
    const scope = below(3) === 0 ? `${folder}/below` : folder
    return { kind: pick(kinds, below), scope }
  })
  return [...new Map(requests.map((request) => [`${request.kind}:${request.scope}`, request])).values()]
}

function expected<Type extends LockAnswer["type"]>(
  type: Type,
  answer: LockAnswer,
): Extract<LockAnswer, { readonly type: Type }> {
  const isExpected = (one: LockAnswer): one is Extract<LockAnswer, { readonly type: Type }> => one.type === type
  if (isExpected(answer)) return answer
  throw new Error(answer.type === "fault" ? answer.what : `'${answer.type}' where '${type}' was expected`)
}
