// The answer of a gate in front of a tool call.
import type { AskCause } from "../../contract/values.ts"
import type { FeatureReport } from "../../session/feature-types.ts"
import type { Judged } from "../../session/report.ts"

export interface Ask {
  readonly kind: "ask"
  readonly reason: string
  readonly audience: "driver" | "approver"
  readonly causes: readonly AskCause[]
}

/** The call waits for something that the feature of the gate reports. */
export interface Park {
  readonly kind: "park"
  readonly report: FeatureReport
}

/** What a gate answers unless it lets the call pass. The caller adds digest and waiting time. */
export type Verdict = Judged["verdict"] | Ask | Park

/** One request for both, for the stricter audience. */
export function mergeAsks(one: Ask | undefined, other: Ask | undefined): Ask | undefined {
  if (one === undefined || other === undefined) return one ?? other
  const audience = one.audience === "approver" ? "approver" : other.audience
  const causes = [...new Set([...one.causes, ...other.causes])]
  return { kind: "ask", reason: `${one.reason} ${other.reason}`, audience, causes }
}
