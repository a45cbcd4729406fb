// The answer of a gate in front of a tool call.
import type { AskCause } from "../../contract/values.ts"
import type { Judged } from "../../session/report.ts"

export interface Ask {
  readonly kind: "ask"
  readonly reason: string
  readonly audience: "driver" | "approver"
  readonly causes: readonly AskCause[]
}

/** A gate's answer when it is not yes. Who is asked and for how long is settled by the caller. */
export type Verdict = Exclude<Judged["verdict"], { kind: "ask" }> | Ask

/** One request for both: whoever may answer the stricter one answers it. */
export function both(one: Ask | undefined, other: Ask | undefined): Ask | undefined {
  if (one === undefined || other === undefined) return one ?? other
  const audience = one.audience === "approver" ? "approver" : other.audience
  const causes = [...new Set([...one.causes, ...other.causes])]
  return { kind: "ask", reason: `${one.reason} ${other.reason}`, audience, causes }
}
