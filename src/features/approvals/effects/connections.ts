// Asks a person whether a running call may connect to a host that the configuration does not list. Permissions given in
// advance answer without asking.
import {
  destinationText,
  isAllowedByRules,
  networkTool,
  type Destination,
} from "../../../contract/rules/network-rules.ts"
import { callDigest } from "../../../session/digest.ts"
import type { CallState } from "../../../session/state.ts"
import type { ConnectionAnswer } from "../../../tools/tool.ts"
import type { SessionContext } from "../../../runner/session-context.ts"
import { decisionDuringCall, noReason } from "./call-decision.ts"

/** The signal is aborted when the connection is no longer wanted. */
export async function mayConnect(
  session: SessionContext,
  call: Pick<CallState, "id" | "tool">,
  destination: Destination,
  signal: AbortSignal,
): Promise<ConnectionAnswer> {
  if (await isGranted(session, destination)) return { kind: "allowed" }
  const connection = { ...destination }
  const ask = {
    callId: call.id,
    reason: `${call.tool} wants to connect to ${destinationText(destination)}.`,
    causes: ["confirm"],
    digest: callDigest(session.services.digestKey, session.id, call.id, networkTool, connection),
    connection,
  } as const
  const decided = await decisionDuringCall(session, ask, signal)
  if (decided === undefined) return { kind: "refused", reason: "its call has ended" }
  if (decided.outcome === "approved") return { kind: "allowed" }
  return { kind: "refused", reason: noReason(session, decided, "the connection was closed before it was answered") }
}

async function isGranted(session: SessionContext, destination: Destination): Promise<boolean> {
  const { grants, created } = session.state
  const all = [...grants, ...(await session.services.folderGrants(created?.cwd ?? "/"))]
  const rules = all.filter(({ tool }) => tool === networkTool).map(({ pattern }) => pattern)
  return isAllowedByRules(rules, destination)
}
