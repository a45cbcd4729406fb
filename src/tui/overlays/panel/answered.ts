import type { Answered } from "../../../contract/host-port.ts"
import { describeRefusal } from "../../../contract/text/describe-refusal.ts"

/** A refusal is shown as the fault of the page that asked. */
export function answered<Value>(answer: Answered<Value>): Value {
  if (answer.kind === "refused") throw new Error(describeRefusal(answer.refusal))
  return answer.value
}
