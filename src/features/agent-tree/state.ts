// Child sessions in the state of their parent, and what the runner reports and performs for them.
import type { EventOf } from "../../contract/events.ts"
import type { ApprovalId, SessionId } from "../../contract/ids.ts"
import type { By } from "../../contract/values.ts"

export interface AgentTreeState {
  readonly children: readonly ChildState[]
  /** Ids that cannot be used again, oldest first. */
  readonly endedChildren: readonly EndedChild[]
  /** Requests of descendants for approval and their outcomes; the requests themselves are in the descendants' logs. */
  readonly childApprovals: readonly ChildApprovalState[]
}

type Spawned = EventOf<"child.spawned">

/** With `callId` a call waits for the child's answer: the child ends with it. */
export interface ChildState extends Pick<
  Spawned,
  "task" | "reason" | "model" | "thinking" | "cwd" | "system" | "callId" | "tools" | "preset" | "documents"
> {
  readonly id: SessionId
  /** It works in its own worktree. */
  readonly hasWorktree?: true
  readonly ending: "now" | "idle" | "leave" | undefined
}

export interface EndedChild {
  readonly id: SessionId
  /** The event with its result. */
  readonly seq: number
  readonly hadWorktree?: true
}

export interface ChildApprovalState {
  readonly id: ApprovalId
  /** The child through which the request came, and the session that makes it. */
  readonly childId: SessionId
  readonly sessionId: SessionId
  readonly outcome: EventOf<"child.answered">["outcome"] | undefined
  readonly by: By | undefined
  readonly seq: number
}

export type AgentTreeReport =
  | { readonly type: "child-reported"; readonly childId: SessionId; readonly status: string }
  | ChildAsked
  | ChildAnswered
  | { readonly type: "child-detached"; readonly childId: SessionId }
  | ChildEnded

/** A descendant waits for an approval, with everything that a person must see. */
export interface ChildAsked extends Omit<EventOf<"child.asked">, "type"> {
  readonly type: "child-asked"
}

export interface ChildAnswered extends Omit<EventOf<"child.answered">, "type"> {
  readonly type: "child-answered"
}

export interface ChildEnded extends Omit<EventOf<"child.ended">, "type"> {
  readonly type: "child-ended"
}

export type AgentTreeEffect =
  | { readonly type: "keep-child"; readonly id: string; readonly childId: SessionId }
  | { readonly type: "end-child"; readonly id: string; readonly childId: SessionId; readonly when: "now" | "idle" }
  | { readonly type: "detach-child"; readonly id: string; readonly childId: SessionId }

export function openChildApprovals(
  { childApprovals }: AgentTreeState,
  childId?: SessionId,
): readonly ChildApprovalState[] {
  const open = childApprovals.filter(({ outcome }) => outcome === undefined)
  return childId === undefined ? open : open.filter((approval) => approval.childId === childId)
}
