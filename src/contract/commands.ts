// What a client may ask of a session. Whoever opens a connection is known to its door, so `by` is set there, never
// read from a frame.
import { z } from "zod"
import { command } from "./define.ts"
import { limits } from "./limits.ts"
import { ApprovalId, CallId, GrantId, InteractionId, PlanId, PromptId, SessionId, TurnId, VisitId } from "./ids.ts"
import {
  Attachment,
  Budget,
  Contact,
  Grant,
  JsonValue,
  PolicyFlag,
  TaskPriority,
  TaskStatus,
  ToolMode,
  Voting,
} from "./values.ts"

const Prompt = command("prompt", {
  promptId: PromptId,
  text: z.string(),
  attachments: z.array(Attachment).optional(),
  /** What to do while a turn runs: refuse, wait for the next turn, or slip in at the next tool boundary. */
  ifBusy: z.enum(["refuse", "wait", "steer"]),
  untrustedSource: z.string().optional(),
  /** For the turn that it begins, and for no other. */
  model: z.string().min(1).max(limits.nameLength).optional(),
  skill: z.string().min(1).max(limits.nameLength).optional(),
  /** Files that are for tools and not for the model. */
  files: z.array(Attachment).optional(),
  /** What its sender calls it, given back on their wire. Equal words under the same name are the same prompt while it waits or runs. */
  reference: z.string().max(limits.nameLength).optional(),
  /** It may be a retry of an equal prompt whose turn is over: of any, or only of the newest prompt of the session. */
  retries: z.enum(["any", "newest"]).optional(),
  /** Words for this plan and nowhere else: refused where it is not the one that is open. */
  planId: PlanId.optional(),
  /** The visit in which it is said: its turn may do what this visit has been verified for. */
  visitId: VisitId.optional(),
})
const Withdraw = command("withdraw", { promptId: PromptId })
/** Only of the given turn, where one is named: another one that runs by now is left alone. */
const Interrupt = command("interrupt", { turnId: TurnId.optional() })
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
  /** Flags of a command line that answer, and not its user. */
  policy: z.array(PolicyFlag).min(1).max(4).optional(),
})
/** Somebody comes in through the network door. */
const OpenVisit = command("open-visit", {
  visitId: VisitId,
  agentId: z.string().min(1).max(limits.nameLength),
  contact: Contact,
  supports: z.array(z.string().max(limits.nameLength)).max(100).optional(),
  participants: z.object({ user: z.uuid(), agent: z.uuid() }),
  groups: z.array(z.string().max(limits.nameLength)).max(100).optional(),
  /** Whose allowance of one-time codes the visit uses: a digest of the visitor's account or address. */
  caller: z.string().max(limits.nameLength).optional(),
})
/** What the visitor was asked for; declining wins over values. */
const Answer = command("answer", {
  interactionId: InteractionId,
  values: JsonValue.optional(),
  declined: z.boolean().optional(),
})
/** The code that a visitor was sent. */
const Verify = command("verify", { visitId: VisitId, code: z.string().min(1).max(limits.nameLength) })
/** A person has taken over what the agent wanted to hand over. */
const SettleEscalation = command("settle-escalation", { note: z.string().max(limits.nameLength).optional() })
const RevokeGrant = command("revoke-grant", { grantId: GrantId })
const SelectModel = command("select-model", { model: z.string().min(1).max(limits.nameLength) })
const SelectTools = command("select-tools", { mode: ToolMode })
/** Several answers instead of one from the next turn on; without `voting` the first answer counts again. */
const SelectVoting = command("select-voting", { voting: Voting.optional() })
/** Goes on with the plan that was left last. A focus takes the place of the one it had. */
const EnterPlan = command("enter-plan", { focus: z.string().max(limits.nameLength).optional() })
/** Without a summary the session makes one of the newest answer, if that looks like a plan; an empty one is none. */
const ExitPlan = command("exit-plan", { summary: z.string().optional() })
const Compact = command("compact", {})
const ClearContext = command("clear-context", {})
/** Hides everything that came after the given event, or the newest turns. */
const Rewind = command("rewind", {
  toSeq: z.int().min(1).optional(),
  turns: z.int().min(1).optional(),
})
/** Names this place, so that one can go back to it. */
const Mark = command("mark", { name: z.string().min(1).max(limits.nameLength) })
const AddTask = command("add-task", {
  text: z.string().min(1).max(limits.nameLength),
  priority: TaskPriority.optional(),
  /** The task of which it is a part. */
  parent: z.int().min(1).optional(),
})
const ChangeTask = command("change-task", {
  task: z.int().min(1),
  status: TaskStatus.optional(),
  reason: z.string().max(limits.nameLength).optional(),
  /** The task that must be done before. */
  dependsOn: z.int().min(1).optional(),
})
const Spawn = command("spawn", {
  childId: SessionId,
  /** Without one the child waits for words of its own. */
  task: z.string().optional(),
  reason: z.string().max(limits.nameLength).optional(),
  /** Default: what the parent has. */
  model: z.string().min(1).max(limits.nameLength).optional(),
  cwd: z.string().optional(),
  system: z.string().optional(),
  callId: CallId.optional(),
  worktree: z.object({ folder: z.string(), branch: z.string(), base: z.string() }).optional(),
})
const SignalChildren = command("signal-children", { action: z.enum(["shutdown-if-idle", "force-shutdown", "detach"]) })
/** Leaves the parent: the session becomes the root of its own tree. */
const Orphan = command("orphan", {})
/** Rests until it is woken, even if a turn is open; its host closes it. */
const Hibernate = command("hibernate", {})
const Wake = command("wake", {})
const Alias = command("alias", { alias: z.string().min(1).max(limits.nameLength) })
const RaiseBudget = command("raise-budget", { budget: Budget })
const Rename = command("rename", { name: z.string().min(1).max(limits.nameLength) })
const End = command("end", {
  reason: z.string().max(limits.nameLength).optional(),
  /** At once, interrupting what runs; or when nothing runs and nothing waits any more. */
  when: z.enum(["now", "idle"]),
  /** Viewers are told that the parent is leaving, also where the session ends at once. */
  parentExits: z.literal(true).optional(),
})

/** Takes back that it is to end when idle, unless its parent wanted that. */
const Stay = command("stay", {})

export const SessionCommand = z.discriminatedUnion("type", [
  Prompt,
  Withdraw,
  Interrupt,
  Resume,
  Approve,
  OpenVisit,
  Answer,
  Verify,
  SettleEscalation,
  RevokeGrant,
  SelectModel,
  SelectTools,
  SelectVoting,
  EnterPlan,
  ExitPlan,
  Compact,
  ClearContext,
  Rewind,
  Mark,
  AddTask,
  ChangeTask,
  Spawn,
  SignalChildren,
  Orphan,
  Hibernate,
  Wake,
  Alias,
  RaiseBudget,
  Rename,
  End,
  Stay,
])
export type SessionCommand = z.infer<typeof SessionCommand>
export type CommandOf<Type extends SessionCommand["type"]> = Extract<SessionCommand, { type: Type }>
