// What locks promise, as a sequential model: who holds what, who waits in which order, and which answers are possible. It
// has neither clock nor disk and shares only the table of conflicts with the program. Pure.
import { blocks, exclude, type LockRequest } from "../../../../features/locks/conflicts.ts"
import type { Model } from "./linearize.ts"

/** A session in one process: a later process with the same session is another holder. */
export interface Holder {
  readonly process: string
  readonly holder: string
}

export interface GrantedLock extends LockRequest {
  readonly fence: number
}

/** A call of the interface of locks with its answer. */
export type LockCall = Holder &
  (
    | { readonly type: "granted"; readonly requests: readonly LockRequest[]; readonly locks: readonly GrantedLock[] }
    /** Of a call; a viewer is `refused`. */
    | { readonly type: "queued" | "refused"; readonly requests: readonly LockRequest[]; readonly by: string }
    /** A call that waited gives up. */
    | { readonly type: "gave-up" }
    /** Without an answer: it may have been queued or granted. A viewer does not queue. */
    | { readonly type: "requested"; readonly requests: readonly LockRequest[]; readonly canQueue: boolean }
    | { readonly type: "released"; readonly lock: LockRequest; readonly wasHeld: boolean }
    | { readonly type: "ended"; readonly fences: readonly number[] }
    | { readonly type: "checked"; readonly fences: readonly number[]; readonly lost: readonly number[] }
    /** A tool looked whether its number is valid, and then acted or refused. */
    | { readonly type: "acted" | "stopped"; readonly fences: readonly number[] }
    | { readonly type: "status-set"; readonly lock: LockRequest; readonly wasHeld: boolean }
    | { readonly type: "listed"; readonly held: readonly number[]; readonly waiting: readonly string[] }
    | { readonly type: "closed" }
    /** The process did not renew in time, or is dead: its places in the queue, or its locks as well, may be taken. */
    | { readonly type: "expired"; readonly what: "places" | "all" }
    /** A waiter whose place was taken away requests again. */
    | { readonly type: "queued-again" }
  )

interface Held extends LockRequest, Holder {
  /** Undefined if its holder died before the answer. */
  readonly fence: number | undefined
}

interface Waiting extends Holder {
  readonly requests: readonly LockRequest[]
  /** Its place was taken away. */
  readonly isOut: boolean
}

export interface LockState {
  readonly held: readonly Held[]
  readonly queue: readonly Waiting[]
  /** Of all numbers so far. */
  readonly highest: number
}

/** `hasCertainFiles`: no process died in the middle of a change, so that a valid number is never refused. */
export function lockModel(hasCertainFiles: boolean): Model<LockState, LockCall> {
  return {
    initial: { held: [], queue: [], highest: 0 },
    key: (state) => JSON.stringify(state),
    step: (state, call) => stepOf(state, call, hasCertainFiles),
  }
}

function stepOf(state: LockState, call: LockCall, hasCertainFiles: boolean): readonly LockState[] {
  switch (call.type) {
    case "granted":
      return grant(state, call)
    case "queued":
      return isBlocker(state, call) ? [withWaiter(state, call)] : []
    case "refused":
      return isBlocker(state, call) ? [state] : []
    case "gave-up":
      return [withoutWaiter(state, call)]
    case "requested":
      return requestLocks(state, call)
    case "released":
      return release(state, call)
    case "ended":
      return [withoutFences(state, call.fences)]
    case "checked":
      return isEqual(call.lost, lostOf(state, call.fences)) ? [state] : []
    case "acted":
      return lostOf(state, call.fences).length === 0 ? [state] : []
    case "stopped":
      return !hasCertainFiles || lostOf(state, call.fences).length > 0 ? [state] : []
    case "status-set":
      return (ownLock(state, call, call.lock) !== undefined) === call.wasHeld ? [state] : []
    case "listed":
      return isListed(state, call) ? [state] : []
    case "closed":
      return [{ ...state, held: state.held.filter((lock) => !isOfProcess(lock, call)) }]
    case "expired":
      return expire(state, call)
    case "queued-again":
      return queueAgain(state, call)
  }
}

type CallOf<Type extends LockCall["type"]> = Extract<LockCall, { readonly type: Type }>

interface Claim extends Holder {
  readonly requests: readonly LockRequest[]
}

function grant(state: LockState, call: CallOf<"granted">): readonly LockState[] {
  if (blockersOf(state, call).length > 0) return []
  const isValid = call.locks.every((lock) => {
    const own = ownLock(state, call, lock)
    return own === undefined ? lock.fence > state.highest : own.fence === lock.fence
  })
  return isValid ? [withLocks(withoutWaiter(state, call), call, call.locks)] : []
}

function requestLocks(state: LockState, call: CallOf<"requested">): readonly LockState[] {
  if (blockersOf(state, call).length === 0) return [withLocks(withoutWaiter(state, call), call, unknownLocks(call))]
  return call.canQueue && !state.queue.some((waiting) => isHolder(waiting, call)) ? [withWaiter(state, call)] : []
}

/** Holders that the claim must wait for. */
function blockersOf(state: LockState, claim: Claim): readonly string[] {
  const others = state.held.filter((lock) => !isHolder(lock, claim))
  const holders = others.filter((lock) => claim.requests.some((request) => blocks(lock, request)))
  const missing = claim.requests.filter((request) => ownLock(state, claim, request) === undefined)
  const place = state.queue.findIndex((waiting) => isHolder(waiting, claim) && !waiting.isOut)
  const earlier = state.queue.slice(0, place === -1 ? undefined : place).filter(({ isOut }) => !isOut)
  const waiters = earlier.filter(({ requests }) =>
    requests.some((other) => missing.some((request) => exclude(other, request))),
  )
  return [...holders, ...waiters].map(({ holder }) => holder)
}

function isBlocker(state: LockState, claim: Claim & { readonly by: string }): boolean {
  return blockersOf(state, claim).includes(claim.by)
}

function release(state: LockState, { lock, wasHeld, ...holder }: CallOf<"released">): readonly LockState[] {
  const own = ownLock(state, holder, lock)
  if ((own !== undefined) !== wasHeld) return []
  return [{ ...state, held: state.held.filter((held) => held !== own) }]
}

/** Every selection of what the process has: its rows may be of different age. Not none. */
function expire(state: LockState, call: CallOf<"expired">): readonly LockState[] {
  const held = state.held.filter((lock) => call.what === "all" && isOfProcess(lock, call))
  const places = state.queue.filter((waiting) => isOfProcess(waiting, call) && !waiting.isOut)
  return selections([...held, ...places]).map((selected) => ({
    ...state,
    held: state.held.filter((lock) => !selected.includes(lock)),
    queue: state.queue.map((waiting) => (selected.includes(waiting) ? { ...waiting, isOut: true } : waiting)),
  }))
}

function selections<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  const all: (readonly Item[])[] = [[]]
  for (const item of items) all.push(...all.map((one) => [...one, item]))
  return all.slice(1)
}

function queueAgain(state: LockState, process: Holder): readonly LockState[] {
  const out = state.queue.filter((waiting) => isOfProcess(waiting, process) && waiting.isOut)
  return out.map((one) => ({
    ...state,
    queue: [...state.queue.filter((waiting) => waiting !== one), { ...one, isOut: false }],
  }))
}

function isListed(state: LockState, { held, waiting }: CallOf<"listed">): boolean {
  const unknown = state.held.filter(({ fence }) => fence === undefined).length
  const known = state.held.flatMap(({ fence }) => fence ?? [])
  const line = state.queue.flatMap(({ holder, isOut }) => (isOut ? [] : [holder]))
  const extra = held.filter((fence) => !known.includes(fence)).length
  return known.every((fence) => held.includes(fence)) && extra === unknown && isEqual(line, waiting)
}

function withLocks(
  state: LockState,
  { process, holder }: Holder,
  locks: readonly Omit<Held, keyof Holder>[],
): LockState {
  const fresh = locks.filter((lock) => ownLock(state, { process, holder }, lock) === undefined)
  const held = [...state.held, ...fresh.map(({ kind, scope, fence }) => ({ kind, scope, fence, process, holder }))]
  return { ...state, held, highest: Math.max(state.highest, ...fresh.map(({ fence }) => fence ?? 0)) }
}

function unknownLocks({ requests }: Claim): readonly Omit<Held, keyof Holder>[] {
  return requests.map(({ kind, scope }) => ({ kind, scope, fence: undefined }))
}

function withWaiter(state: LockState, { process, holder, requests }: Claim): LockState {
  return { ...state, queue: [...state.queue, { process, holder, requests, isOut: false }] }
}

function withoutWaiter(state: LockState, holder: Holder): LockState {
  return { ...state, queue: state.queue.filter((waiting) => !isHolder(waiting, holder)) }
}

function withoutFences(state: LockState, fences: readonly number[]): LockState {
  return { ...state, held: state.held.filter(({ fence }) => fence === undefined || !fences.includes(fence)) }
}

function lostOf({ held }: LockState, fences: readonly number[]): readonly number[] {
  return fences.filter((number) => !held.some(({ fence }) => fence === number))
}

function ownLock({ held }: LockState, holder: Holder, { kind, scope }: LockRequest): Held | undefined {
  return held.find((lock) => isHolder(lock, holder) && lock.kind === kind && lock.scope === scope)
}

function isHolder(one: Holder, other: Holder): boolean {
  return one.process === other.process && one.holder === other.holder
}

function isOfProcess(one: Holder, other: Holder): boolean {
  return one.process === other.process
}

function isEqual<Item>(one: readonly Item[], other: readonly Item[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index])
}
