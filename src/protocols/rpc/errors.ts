// What a refusal reads like on this wire. The wire has no codes: parents look for words, and the words for "busy" are
// fixed.
import type { Refusal } from "../../contract/refusals.ts"
import { describeRefusal } from "../../contract/describe-refusal.ts"
import type { ChildFrame } from "./encode.ts"

export const busyMessage = "a turn is running; abort first"
export const leavingMessage = "the child is shutting down"

export function errorFrame(id: string | undefined, message: string): ChildFrame {
  return id === undefined ? { type: "error", message } : { type: "error", id, message }
}

export function refusalMessage(refusal: Refusal): string {
  return refusal.code === "session.busy" ? busyMessage : describeRefusal(refusal)
}
