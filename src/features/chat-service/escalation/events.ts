// Escalations: the agent asks for a person, and a person takes over.
import { z } from "zod"
import { command, durable, refusal } from "../../../contract/define.ts"
import { CallId, TurnId } from "../../../contract/ids.ts"
import { limits } from "../../../contract/limits.ts"
import { By } from "../../../contract/values.ts"

const EscalationRaised = durable("escalation.raised", 1, { turnId: TurnId, callId: CallId, reason: z.string() })
const EscalationSettled = durable("escalation.settled", 1, { by: By, note: z.string().optional() })

const SettleEscalation = command("settle-escalation", { note: z.string().max(limits.nameLength).optional() })

export const escalationContract = {
  events: [EscalationRaised, EscalationSettled],
  commands: [SettleEscalation],
  refusals: [refusal("escalation.none", {})],
  deltas: [],
} as const
