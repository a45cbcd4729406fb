// An answer to a request for approval, and how it is sent.
import type { CommandOf } from "../../../../src/contract/commands.ts"
import { describeRefusal } from "../../../../src/contract/text/describe-refusal.ts"
import type { OpenApproval } from "../../../../src/projection/open-requests.ts"
import type { SendOutcome } from "../../../../src/contract/host-port.ts"
import { may, type Access } from "../../state/connection.ts"

export type Answer = Omit<CommandOf<"approve">, "type" | "approvalId" | "digest">

/** Returns why it did not count. `send` reaches the session that is open, which also answers for its agents. */
export async function sendAnswer(
  send: (command: CommandOf<"approve">) => Promise<SendOutcome>,
  { approvalId, digest }: OpenApproval,
  answer: Answer,
): Promise<string | undefined> {
  const sent = await send({ type: "approve", approvalId, ...(digest === undefined ? {} : { digest }), ...answer })
  return sent.kind === "accepted" ? undefined : describeRefusal(sent.refusal)
}

/** docs/identity.md: who prompts may deny, and answer questions; who approves may do both. */
export interface AnswerRights {
  readonly mayApprove: boolean
  readonly mayDeny: boolean
  /** Why not everything; undefined if everything. */
  readonly why: string | undefined
}

export function answerRights(access: Pick<Access, "roles">): AnswerRights {
  const mayApprove = may(access, "approve")
  const mayDeny = mayApprove || may(access, "drive")
  const why = mayApprove
    ? undefined
    : `Your link does not permit ${mayDeny ? "approving" : "answers"}. A link with the role approve does.`
  return { mayApprove, mayDeny, why }
}
