// What the ownership of a session promises, as a sequential model: only its owner writes, and it changes its owner only when
// the last one released it, may have lost its lease, or is dead. Pure.
import type { Model } from "./linearize.ts"

/** A call of the log by one host, with its answer. A host is registered once: its name stands for its epoch. */
export type LeaseCall = { readonly host: string } & (
  | { readonly type: "claimed"; readonly mayReplace: readonly string[] }
  /** Because another host has it; `isDead`: that one was dead before the request. */
  | { readonly type: "claim-refused"; readonly owner: string; readonly isDead: boolean }
  /** Because the host itself may have lost its lease. */
  | { readonly type: "claim-fenced"; readonly mayBeLost: boolean }
  | { readonly type: "appended"; readonly expectedSeq: number; readonly text: string }
  | { readonly type: "append-fenced" }
  | { readonly type: "append-conflicted"; readonly expectedSeq: number; readonly seq: number }
  | { readonly type: "released" }
  | { readonly type: "read"; readonly texts: readonly string[] }
)

export interface LeaseState {
  readonly owner: string | undefined
  readonly texts: readonly string[]
}

/** Of a session that its first owner has created with one event. */
export function leaseModel(owner: string, first: string): Model<LeaseState, LeaseCall> {
  return { initial: { owner, texts: [first] }, key: (state) => JSON.stringify(state), step: stepOf }
}

function stepOf(state: LeaseState, call: LeaseCall): readonly LeaseState[] {
  return isPossible(state, call) ? [after(state, call)] : []
}

function isPossible({ owner, texts }: LeaseState, call: LeaseCall): boolean {
  const { host } = call
  switch (call.type) {
    case "claimed":
      return owner === undefined || owner === host || call.mayReplace.includes(owner)
    case "claim-refused":
      return owner === call.owner && !call.isDead
    case "claim-fenced":
      return call.mayBeLost
    case "appended":
      return owner === host && texts.length === call.expectedSeq
    case "append-fenced":
      return owner !== host
    case "append-conflicted":
      return owner === host && texts.length === call.seq && call.seq !== call.expectedSeq
    case "released":
      return true
    case "read":
      return texts.length === call.texts.length && texts.every((text, index) => text === call.texts[index])
  }
}

function after(state: LeaseState, call: LeaseCall): LeaseState {
  if (call.type === "claimed") return { ...state, owner: call.host }
  if (call.type === "appended") return { ...state, texts: [...state.texts, call.text] }
  if (call.type === "released" && state.owner === call.host) return { ...state, owner: undefined }
  return state
}
