// The gates in front of a tool call, in order. Each says yes by saying nothing; the first that refuses or changes
// decides, and its verdict is stored before anything happens. Questions are put together: a person is asked once.
import type { AskCause, JsonValue } from "../../contract/values.ts"
import type { Judged } from "../../session/report.ts"
import type { CallState } from "../../session/state.ts"
import type { Tool } from "../../tools/tool.ts"
import type { SessionActor } from "../session-actor.ts"
import { whyNotOffered } from "./tool-set.ts"

export interface Ask {
  readonly kind: "ask"
  readonly reason: string
  readonly audience: "driver" | "approver"
  readonly causes: readonly AskCause[]
}

/** A gate's answer when it is not yes. Who is asked and for how long is settled by the caller. */
export type Verdict = Exclude<Judged["verdict"], { kind: "ask" }> | Ask

export interface GatedCall {
  readonly session: SessionActor
  readonly call: CallState
  readonly tool: Tool
  /** The real arguments, secrets included. */
  readonly input: JsonValue
}

export type Gate = (gated: GatedCall) => Promise<Verdict | undefined> | Verdict | undefined

/** Tool mode and plan mode, where tools run and not only where they are offered. */
export const modeGate: Gate = ({ session, tool }) => {
  const reason = whyNotOffered(session.state, tool)
  return reason === undefined ? undefined : { kind: "refuse", by: "mode", reason }
}

export async function judge(gated: GatedCall): Promise<Verdict | undefined> {
  let question: Ask | undefined
  for (const gate of gated.session.services.gates) {
    const verdict = await gate(gated)
    if (verdict !== undefined && verdict.kind !== "ask") return verdict
    question = both(question, verdict)
  }
  return question
}

/** Whoever may answer the stricter question answers both. */
export function both(one: Ask | undefined, other: Ask | undefined): Ask | undefined {
  if (one === undefined || other === undefined) return one ?? other
  const audience = one.audience === "approver" ? "approver" : other.audience
  const causes = [...new Set([...one.causes, ...other.causes])]
  return { kind: "ask", reason: `${one.reason} ${other.reason}`, audience, causes }
}
