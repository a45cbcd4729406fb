// Error texts of this wire. It has no codes: parents match the text, and the one for "busy" is fixed.
import { describeRefusal, refusalTexts, type RefusalTexts } from "../../contract/text/describe-refusal.ts"
import type { Refusal } from "../../contract/refusals.ts"
import type { ChildFrame } from "./codec.ts"

export const busyMessage = "a turn is running; abort first"
export const leavingMessage = "the child is shutting down"

export const rpcErrors = { ...refusalTexts, "session.busy": () => busyMessage } satisfies RefusalTexts

export function errorFrame(id: string | undefined, message: string): ChildFrame {
  return id === undefined ? { type: "error", message } : { type: "error", id, message }
}

export function refusalMessage(refusal: Refusal): string {
  return describeRefusal(refusal, rpcErrors)
}
