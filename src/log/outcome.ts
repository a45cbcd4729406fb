// The two ways a request to the log can end.
import type { Refusal } from "../contract/refusals.ts"
import type { Outcome, Refused } from "./event-log.ts"

export function ok<Value>(value: Value): Outcome<Value> {
  return { kind: "ok", value }
}

export function refused(refusal: Refusal): Refused {
  return { kind: "refused", refusal }
}
