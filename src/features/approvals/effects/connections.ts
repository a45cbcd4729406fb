// Asks a person whether a running call may connect to a host that the configuration does not list. Permissions given in
// advance answer without asking.
import { answererName, policyPrincipal } from "../../../contract/rules/approval-answers.ts"
import {
  destinationText,
  isAllowedByRules,
  networkTool,
  type Destination,
} from "../../../contract/rules/network-rules.ts"
import { settingsOf } from "../../../contract/rules/session-settings.ts"
import type { ApprovalId, CallId } from "../../../contract/ids.ts"
import type { EventOf } from "../../../contract/events.ts"
import { callDigest } from "../../../session/digest.ts"
import type { CallState } from "../../../session/state.ts"
import type { ConnectionAnswer } from "../../../tools/tool.ts"
import type { SessionContext } from "../../../runner/session-context.ts"
import type { ApprovalState } from "../state.ts"

/** The signal is aborted when the connection is no longer wanted. */
export async function mayConnect(
  session: SessionContext,
  call: Pick<CallState, "id" | "tool">,
  destination: Destination,
  signal: AbortSignal,
): Promise<ConnectionAnswer> {
  if (await isGranted(session, destination)) return { kind: "allowed" }
  const { digestKey, approvalWaitMs: waitMs } = session.services
  const connection = { ...destination }
  const sent = await session.report({
    type: "approval-needed",
    callId: call.id,
    reason: `${call.tool} wants to connect to ${destinationText(destination)}.`,
    audience: settingsOf(session.state.created).hasVisitors ? "approver" : "driver",
    causes: ["confirm"],
    digest: callDigest(digestKey, session.id, call.id, networkTool, connection),
    connection,
    waitMs,
  })
  const asked = sent.kind === "accepted" ? newestRequest(session, call.id, destination) : undefined
  if (asked === undefined) return { kind: "refused", reason: "its call has ended" }
  return answerFrom(await decision(session, asked.id, signal), waitMs === 0)
}

async function isGranted(session: SessionContext, destination: Destination): Promise<boolean> {
  const { grants, created } = session.state
  const all = [...grants, ...(await session.services.folderGrants(created?.cwd ?? "/"))]
  const rules = all.filter(({ tool }) => tool === networkTool).map(({ pattern }) => pattern)
  return isAllowedByRules(rules, destination)
}

function newestRequest(session: SessionContext, id: CallId, { host, port }: Destination): ApprovalState | undefined {
  return session.state.approvals.findLast(
    ({ callId, connection }) => callId === id && connection?.host === host && connection.port === port,
  )
}

type Decided = Pick<EventOf<"approval.decided">, "outcome" | "by" | "note">

/** A request that the connection no longer waits for is withdrawn. */
async function decision(session: SessionContext, approvalId: ApprovalId, signal: AbortSignal): Promise<Decided> {
  const decided = Promise.withResolvers<Decided>()
  const stop = session.watch((item) => {
    if (item.kind !== "event" || item.recorded.event.type !== "approval.decided") return
    if (item.recorded.event.approvalId === approvalId) decided.resolve(item.recorded.event)
  })
  const known = session.state.approvals.find(({ id }) => id === approvalId)
  if (known?.outcome !== undefined) decided.resolve({ outcome: known.outcome, by: known.by })
  const onAbort = () => {
    decided.resolve({ outcome: "void" })
    void session.report({ type: "approval-withdrawn", approvalId })
  }
  signal.addEventListener("abort", onAbort, { once: true })
  if (signal.aborted) onAbort()
  try {
    return await decided.promise
  } finally {
    stop()
    signal.removeEventListener("abort", onAbort)
  }
}

const NOT_ASKED = "no person can be asked"
/** A client without a terminal. */
const unattended = policyPrincipal(["unattended"])

function answerFrom({ outcome, by, note }: Decided, isUnattended: boolean): ConnectionAnswer {
  switch (outcome) {
    case "approved":
      return { kind: "allowed" }
    case "denied":
      if (by?.principal === unattended) return { kind: "refused", reason: NOT_ASKED }
      return { kind: "refused", reason: `${answererName(by)} denied it${note ? ` (${note})` : ""}` }
    case "expired":
      return {
        kind: "refused",
        reason: isUnattended ? NOT_ASKED : "the request was not answered in time",
      }
    case "void":
      return { kind: "refused", reason: "the connection was closed before it was answered" }
  }
}
