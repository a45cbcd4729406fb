// What a client may ask of a session. Whoever opens a connection is known to its door, so `by` is set there, never
// read from a frame.
import { z } from "zod"
import { command } from "./define.ts"
import { ApprovalId, GrantId, PromptId, SessionId } from "./ids.ts"
import { Attachment, Budget, Grant, ToolMode } from "./values.ts"

const Prompt = command("prompt", {
  promptId: PromptId,
  text: z.string(),
  attachments: z.array(Attachment).optional(),
  /** What to do while a turn runs: refuse, wait for the next turn, or slip in at the next tool boundary. */
  ifBusy: z.enum(["refuse", "wait", "steer"]),
  untrustedSource: z.string().optional(),
})
const Withdraw = command("withdraw", { promptId: PromptId })
const Interrupt = command("interrupt", {})
/** Goes on with a turn that is parked. */
const Resume = command("resume", {})
const Approve = command("approve", {
  approvalId: ApprovalId,
  approved: z.boolean(),
  /** What the client showed to the person; an approval that is for something else is refused. */
  digest: z.string().optional(),
  note: z.string().optional(),
  /** Say yes in advance to calls like this one. */
  remember: Grant.pick({ pattern: true, scope: true }).optional(),
})
const RevokeGrant = command("revoke-grant", { grantId: GrantId })
const SelectModel = command("select-model", { model: z.string().min(1) })
const SelectTools = command("select-tools", { mode: ToolMode })
const EnterPlan = command("enter-plan", { focus: z.string().optional() })
const ExitPlan = command("exit-plan", { summary: z.string().optional() })
const Compact = command("compact", {})
const ClearContext = command("clear-context", {})
/** Hides everything that came after the given event. */
const Rewind = command("rewind", { toSeq: z.int().min(1) })
const Spawn = command("spawn", {
  childId: SessionId,
  task: z.string(),
  reason: z.string().optional(),
  model: z.string().optional(),
})
const SignalChildren = command("signal-children", { action: z.enum(["shutdown-if-idle", "force-shutdown", "detach"]) })
const RaiseBudget = command("raise-budget", { budget: Budget })
const Rename = command("rename", { name: z.string().min(1).max(200) })
const End = command("end", {
  reason: z.string().optional(),
  /** At once, interrupting what runs; or when nothing runs and nothing waits any more. */
  when: z.enum(["now", "idle"]),
})

export const SessionCommand = z.discriminatedUnion("type", [
  Prompt,
  Withdraw,
  Interrupt,
  Resume,
  Approve,
  RevokeGrant,
  SelectModel,
  SelectTools,
  EnterPlan,
  ExitPlan,
  Compact,
  ClearContext,
  Rewind,
  Spawn,
  SignalChildren,
  RaiseBudget,
  Rename,
  End,
])
export type SessionCommand = z.infer<typeof SessionCommand>
export type CommandOf<Type extends SessionCommand["type"]> = Extract<SessionCommand, { type: Type }>
