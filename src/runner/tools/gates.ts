// The gates in front of a tool call, in order. A gate lets a call pass by returning nothing; the first that refuses or
// changes it decides. Requests for approval of several gates become one.
import type { Gate, GatedCall } from "../session-context.ts"
import { mergeAsks, type Ask, type Verdict } from "./verdict.ts"
import { toolRefusal } from "./tool-set.ts"

/** Enforces tool mode and plan mode where tools run. */
export const modeGate: Gate = ({ session, tool }) => {
  const reason = toolRefusal(session.state, tool)
  return reason === undefined ? undefined : { kind: "refuse", by: "mode", reason }
}

export async function judge(gated: GatedCall): Promise<Verdict | undefined> {
  let question: Ask | undefined
  for (const gate of gated.session.services.gates) {
    const verdict = await gate(gated)
    if (verdict !== undefined && verdict.kind !== "ask") return verdict
    question = mergeAsks(question, verdict)
  }
  return question
}

/** Asks the extensions of the session. */
export const hookGate: Gate = ({ session, call, tool, input }) => session.hooks?.judge(tool, input, call.modified)
