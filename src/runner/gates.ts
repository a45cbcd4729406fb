// The gates in front of a tool call, in order. Each says yes by saying nothing; the first that says anything else
// decides, and its verdict is stored before anything happens.
import type { JsonValue } from "../contract/values.ts"
import type { Judged } from "../session/report.ts"
import type { CallState } from "../session/state.ts"
import type { Tool } from "../tools/tool.ts"
import type { SessionActor } from "./session-actor.ts"
import { whyNotOffered } from "./tool-set.ts"

/** A gate's answer when it is not yes. Who is asked and for how long is settled by the caller. */
export type Verdict =
  | Exclude<Judged["verdict"], { kind: "ask" }>
  | { readonly kind: "ask"; readonly reason: string; readonly audience: "driver" | "approver" }

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
  const reason = whyNotOffered(session.state, tool.name)
  return reason === undefined ? undefined : { kind: "refuse", by: "mode", reason }
}

export async function judge(gated: GatedCall): Promise<Verdict | undefined> {
  for (const gate of gated.session.services.gates) {
    const verdict = await gate(gated)
    if (verdict !== undefined) return verdict
  }
  return undefined
}
