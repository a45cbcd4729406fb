// The gates in front of a tool call, in order. Each says yes by saying nothing; the first that refuses or changes
// decides, and its verdict is stored before anything happens. Questions are put together: a person is asked once.
import type { Gate, GatedCall } from "../session-context.ts"
import { both, type Ask, type Verdict } from "./verdict.ts"
import { whyNotOffered } from "./tool-set.ts"

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
