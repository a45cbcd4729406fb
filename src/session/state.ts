// What `decide` and `wanted` need to know of a session, and nothing that grows with its length: texts live in the
// log and in the projections. Plain JSON, so that a snapshot is the state itself.
import type { EventOf } from "../contract/events.ts"
import type {
  ApprovalId,
  CallId,
  CompactionId,
  InteractionId,
  PlanId,
  PromptId,
  SessionId,
  StepId,
  TurnId,
  VerificationId,
  VisitId,
} from "../contract/ids.ts"
import type {
  AskCause,
  Budget,
  By,
  CodeChannel,
  Contact,
  Finish,
  Grant,
  InteractionKind,
  JsonValue,
  ToolClass,
  ToolMode,
  ToolProcess,
  Voting,
} from "../contract/values.ts"

export interface SessionState {
  /** The newest event that is folded in. */
  readonly seq: number
  readonly created: EventOf<"session.created"> | undefined
  readonly life: "new" | "open" | "ended"
  /** Set when the session is to end once it is idle. */
  readonly endsWhenIdle: boolean
  /** It was the parent who wanted that; the wish goes with the parent. */
  readonly endsForParent: boolean
  /** Put to rest: nothing is done, whatever is open, until it is woken. */
  readonly asleep: boolean
  readonly name: string | undefined
  readonly model: string
  readonly toolMode: ToolMode
  /** Ids already used, oldest first, with a digest of what they said. */
  readonly prompts: readonly PromptMark[]
  /** Admitted, not yet promoted: what the sender was promised. */
  readonly waiting: readonly EventOf<"prompt.admitted">[]
  readonly turn: TurnState | undefined
  readonly plan: PlanState | undefined
  /** The plan that was left last: whoever enters plan mode again goes on with it. */
  readonly leftPlan: PlanState | undefined
  /** How answers are voted about; absent where the first one counts. */
  readonly voting: Voting | undefined
  readonly compaction: CompactionId | undefined
  /** Open ones, and the newest settled ones so that a late answer is told who decided. */
  readonly approvals: readonly ApprovalState[]
  /** Questions to the visitor that are not answered yet. */
  readonly interactions: readonly InteractionState[]
  /** The newest visit through the network door. */
  readonly visit: VisitState | undefined
  readonly contact: Contact
  /** The groups of visits, where they have some: they decide about documents. */
  readonly visitGroups: readonly VisitGroups[]
  /** Who has ever visited, the newest last: they cannot approve what the session asks the house for. */
  readonly visitors: readonly string[]
  /** The newest code of each visit that has one. */
  readonly verifications: readonly VerificationState[]
  readonly verifiedVisits: readonly VerifiedVisit[]
  /** Why the agent wants a person, as long as nobody has come. */
  readonly escalation: { readonly reason: string } | undefined
  /** Where a conversation stands in the workflow of its agent; absent at its beginning. */
  readonly workflow: WorkflowState | undefined
  /** Tools with a call whose outcome is unknown: their next call asks a person. */
  readonly unsettledTools: readonly string[]
  /** Where untrusted text came from that entered the context since a person last spoke. */
  readonly taintedBy: string | undefined
  /** Approvals given in advance. */
  readonly grants: readonly Grant[]
  readonly children: readonly ChildState[]
  /** Ids that cannot be used again, oldest first. */
  readonly endedChildren: readonly EndedChild[]
  /** What descendants ask for and what became of it; the questions themselves live where they were asked. */
  readonly childApprovals: readonly ChildApprovalState[]
  /** Events to which the context can be rewound: ends of turns since it last changed otherwise. */
  readonly restingPlaces: readonly number[]
  /** Where the newest turns ended that people can see. */
  readonly turnEnds: readonly number[]
  /** Resting places that were given a name. */
  readonly marks: readonly { readonly name: string; readonly toSeq: number }[]
  readonly taskCount: number
  readonly spent: { readonly usd: number; readonly tokens: number }
  readonly budget: Budget
}

export interface PromptMark {
  readonly id: PromptId
  readonly digest: string
  /** Where it stands in the log. */
  readonly seq: number
  /** A digest of what its sender calls it. */
  readonly reference: string | undefined
  /** The turn that it became a part of. */
  readonly turnId?: TurnId
}

export interface TurnState {
  readonly id: TurnId
  readonly planId: PlanId | undefined
  /** As they were when the turn began: a selection counts from the next turn on. */
  readonly model: string
  readonly toolMode: ToolMode
  readonly voting: Voting | undefined
  /** What the model is told to go by in this turn alone. */
  readonly skill: string | undefined
  /** The visit whose words began it. */
  readonly visitId: VisitId | undefined
  /** The newest call that was refused because the visitor has not proved who they are. */
  readonly unverified: { readonly callId: CallId; readonly tool: string } | undefined
  /** The log has files for the tools of this turn. */
  readonly hasFiles: boolean
  readonly steps: number
  readonly step: StepState | undefined
  /** The model has answered without asking for a tool. */
  readonly over: boolean
  /** How the newest response ended. */
  readonly finish: Finish | undefined
  readonly parked: ParkedTurn | undefined
  /** How often a host took the turn over since it last made progress. */
  readonly adoptions: number
}

export interface ParkedTurn {
  readonly why: "budget" | "quota" | "adoption"
  readonly until: number | undefined
  /** It resumes when another model call of the tree releases what it has reserved. */
  readonly waitsFor?: "reservation" | undefined
}

export interface PlanState {
  readonly id: PlanId
  /** What it is about. */
  readonly focus: string | undefined
}

export interface InteractionState {
  readonly id: InteractionId
  readonly callId: CallId
  readonly kind: InteractionKind
  readonly spec: JsonValue
  readonly expiresAt: number | undefined
}

export interface VisitState {
  readonly visitId: VisitId
  readonly agentId: string
  readonly principal: string
  /** What the visitor's client can show. */
  readonly supports: readonly string[]
  /** Whose allowance of one-time codes it uses. */
  readonly caller?: string
}

export interface VisitGroups {
  readonly visitId: VisitId
  readonly groups: readonly string[]
}

export interface WorkflowState {
  /** Absent when the last one is done. */
  readonly step: string | undefined
  /** Turns that have stayed at it. */
  readonly held: number
}

export interface VerificationState {
  readonly id: VerificationId
  readonly visitId: VisitId
  readonly callId: CallId
  /** The call waits for the code; otherwise its turn waits until the code is on its way. */
  readonly parked: boolean
  readonly phase: "requested" | "prepared" | "sent" | "locked" | "expired"
  readonly code: MadeCode | undefined
  /** Until when the call waits. */
  readonly expiresAt: number | undefined
}

export interface MadeCode {
  /** That the visitor has when they know the code, and nothing else. */
  readonly contact: Pick<Contact, "email" | "phone">
  readonly channel: CodeChannel
  readonly destination: string
  readonly digest: string
  readonly attemptsLeft: number
  readonly expiresAt: number
}

/** What a visit was verified for. */
export interface VerifiedVisit {
  readonly visitId: VisitId
  readonly contact: Pick<Contact, "email" | "phone">
}

export interface StepState {
  readonly id: StepId
  readonly continues: StepId | undefined
  readonly answered: boolean
  /** How often the context was compacted for this step. */
  readonly compactions: number
  readonly calls: readonly CallState[]
}

export type CallPhase = "called" | "asked" | "approved" | "started" | "settled"

export interface CallState {
  readonly id: CallId
  readonly tool: string
  readonly input: JsonValue
  readonly phase: CallPhase
  /** A hook has changed the input; the hooks that did so are not asked again. */
  readonly modified: boolean
  /** What a person said yes to, once they did. */
  readonly approvedDigest: string | undefined
  readonly started: { readonly class: ToolClass; readonly process?: ToolProcess | undefined } | undefined
}

export interface ApprovalState {
  readonly id: ApprovalId
  readonly callId: CallId
  readonly digest: string
  /** Why it is asked, as long as it is; absent in snapshots of older releases. */
  readonly reason?: string | undefined
  readonly audience: EventOf<"approval.requested">["audience"]
  /** Absent for requests of older releases. */
  readonly causes?: readonly AskCause[] | undefined
  readonly expiresAt: number | undefined
  readonly outcome: ApprovalOutcome | undefined
  readonly by: By | undefined
  /** Where the request stands in the log. */
  readonly seq: number
}

export type ApprovalOutcome = EventOf<"approval.decided">["outcome"]

export interface ChildApprovalState {
  readonly id: ApprovalId
  /** The child through which the word came, and the session that asks. */
  readonly childId: SessionId
  readonly sessionId: SessionId
  readonly outcome: ApprovalOutcome | undefined
  readonly by: By | undefined
  readonly seq: number
}

export interface ChildState {
  readonly id: SessionId
  readonly task: string | undefined
  readonly reason: string
  readonly model: string | undefined
  readonly cwd: string | undefined
  readonly system: string | undefined
  /** The call that waits for the child's answer: when the call is over, so is the child. */
  readonly callId: CallId | undefined
  /** It works in a folder that was made for it alone. */
  readonly hasWorktree?: true
  readonly ending: "now" | "idle" | "leave" | undefined
}

export interface EndedChild {
  readonly id: SessionId
  /** Where its result stands in the log. */
  readonly seq: number
  readonly hadWorktree?: true
}

export const initialState: SessionState = {
  seq: 0,
  created: undefined,
  life: "new",
  endsWhenIdle: false,
  endsForParent: false,
  asleep: false,
  name: undefined,
  model: "",
  toolMode: "Smart",
  prompts: [],
  waiting: [],
  turn: undefined,
  plan: undefined,
  leftPlan: undefined,
  voting: undefined,
  compaction: undefined,
  approvals: [],
  interactions: [],
  visit: undefined,
  contact: {},
  visitGroups: [],
  visitors: [],
  verifications: [],
  verifiedVisits: [],
  escalation: undefined,
  workflow: undefined,
  unsettledTools: [],
  taintedBy: undefined,
  grants: [],
  children: [],
  endedChildren: [],
  childApprovals: [],
  restingPlaces: [],
  turnEnds: [],
  marks: [],
  taskCount: 0,
  spent: { usd: 0, tokens: 0 },
  budget: {},
}

export function isBusy(state: SessionState): boolean {
  return state.turn !== undefined || state.compaction !== undefined
}

export function openCalls(state: SessionState): readonly CallState[] {
  return state.turn?.step?.calls.filter((call) => call.phase !== "settled") ?? []
}

export function findCall(state: SessionState, callId: CallId): CallState | undefined {
  return openCalls(state).find((call) => call.id === callId)
}

export function openApprovals(state: SessionState): readonly ApprovalState[] {
  return state.approvals.filter((approval) => approval.outcome === undefined)
}

export function openChildApprovals(state: SessionState, childId?: SessionId): readonly ChildApprovalState[] {
  const open = state.childApprovals.filter((approval) => approval.outcome === undefined)
  return childId === undefined ? open : open.filter((approval) => approval.childId === childId)
}
