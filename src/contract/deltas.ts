// Live hints, never stored and never numbered. A lost delta heals itself when the matching `*.ended` event arrives.
import { z } from "zod"
import { live } from "./define.ts"
import { CallId, SessionId, StepId, TurnId } from "./ids.ts"
import { By, LockType } from "./values.ts"

const TextDelta = live("text.delta", { stepId: StepId, block: z.int(), delta: z.string() })
const ReasoningDelta = live("reasoning.delta", { stepId: StepId, block: z.int(), delta: z.string() })
/** The first one of a call has an empty delta and says that the call has begun. */
const ToolInputDelta = live("tool-input.delta", {
  stepId: StepId,
  callId: CallId,
  tool: z.string(),
  delta: z.string(),
})
const ToolProgressed = live("tool.progressed", {
  callId: CallId,
  message: z.string(),
  /** 0 to 1, where the tool can tell. */
  fraction: z.number().optional(),
})

/** One sentence before the answer begins, from a model that is quick. It is no part of the answer. */
const Preamble = live("preamble", { turnId: TurnId, text: z.string() })

/** What came of a turn cannot be stored for now, and it is not known for how long. It is tried again. */
const TurnStalled = live("turn.stalled", { turnId: TurnId, what: z.string().optional() })

/** Somebody in the home took a lock, gave it back, or lost it because they are gone. */
const LockChanged = live("lock.changed", {
  change: z.enum(["acquired", "released", "stale"]),
  lock: LockType,
  scope: z.string(),
  holder: z.string(),
  description: z.string(),
  /** In the holder's own words; a new one is told as if the lock were taken again. */
  status: z.string(),
  heldMs: z.int().min(0),
})
/** How a vote about an answer stands. */
const VotingProgressed = live("voting.progressed", {
  stepId: StepId,
  message: z.string(),
  fraction: z.number(),
  /** It may cost more than it is allowed to. */
  overLimit: z.boolean().optional(),
})

/** What a child is doing, in a few words. */
const ChildProgressed = live("child.progressed", { childId: SessionId, status: z.string() })
/** Who watches now. `who` names the first few, `watching` counts them all. */
const PresenceChanged = live("presence.changed", { watching: z.int(), who: z.array(By) })

/** The host warns about something that concerns the session, such as a guard that does not work. For operators only. */
const HostWarned = live("host.warned", { message: z.string() })

export const SessionDelta = z.discriminatedUnion("type", [
  TextDelta,
  ReasoningDelta,
  ToolInputDelta,
  ToolProgressed,
  Preamble,
  TurnStalled,
  LockChanged,
  VotingProgressed,
  ChildProgressed,
  PresenceChanged,
  HostWarned,
])
export type SessionDelta = z.infer<typeof SessionDelta>
