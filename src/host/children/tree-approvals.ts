// Answers a descendant's approval request at an ancestor: the asking session decides, with the identity of the caller.
import type { CommandOf } from "../../contract/commands.ts"
import type { SendOutcome } from "../../contract/host-port.ts"
import type { Who } from "../../contract/values.ts"
import type { SessionContext } from "../../runner/session-context.ts"
import type { OpenSessions } from "../open-sessions.ts"
import { openChildApprovals } from "../../features/agent-tree/state.ts"

export async function answerInTree(
  host: OpenSessions,
  session: SessionContext,
  command: CommandOf<"approve">,
  who: Who,
): Promise<SendOutcome> {
  const asked = openChildApprovals(session.state).find(({ id }) => id === command.approvalId)
  if (asked === undefined) return session.send(command, who)
  const opened = await host.open(asked.sessionId)
  return opened.kind === "refused" ? opened : opened.session.send(command, who)
}
