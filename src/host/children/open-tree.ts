// The sessions of a tree that are open in this host: which they are, whether one has work, and approvals across them.
import type { SessionActor } from "../../runner/session-actor.ts"
import type { OpenSessions } from "../open-sessions.ts"
import { requiredEffects } from "../../session/required-effects.ts"
import type { CommandOf } from "../../contract/commands.ts"
import type { SendOutcome } from "../../contract/host-port.ts"
import type { Who } from "../../contract/values.ts"
import type { SessionContext } from "../../runner/session-context.ts"
import { openChildApprovals } from "../../features/agent-tree/state.ts"

/** Parents before their children. */
export async function openTree(host: OpenSessions, root: SessionActor): Promise<readonly SessionActor[]> {
  const tree = [root]
  for (const parent of tree) {
    for (const { id } of parent.state.children) {
      const child = await host.opened(id)
      if (child.kind === "opened" && !tree.includes(child.session)) tree.push(child.session)
    }
  }
  return tree
}

/** Running a child is no work by itself: a working child has a turn of its own. */
export function isAtRest({ state }: SessionActor): boolean {
  return requiredEffects(state).every(({ type }) => type === "keep-child")
}

/** An ancestor's client may answer the approval request of a descendant, which decides with that client's identity. */
export async function answerInTree(
  host: OpenSessions,
  session: SessionContext,
  command: CommandOf<"approve">,
  caller: Who,
): Promise<SendOutcome> {
  const request = openChildApprovals(session.state).find(({ id }) => id === command.approvalId)
  if (request === undefined) return session.send(command, caller)
  const opened = await host.open(request.sessionId)
  return opened.kind === "refused" ? opened : opened.session.send(command, caller)
}
