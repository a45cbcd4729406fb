// The visitor of a session of the network door, as tools see them, and the calls that only they can answer.
import { settingsOf } from "../../../contract/session-settings.ts"
import { createHash } from "node:crypto"
import { raisingTool, readSpec } from "../../../contract/interactions.ts"
import type { CallId, InteractionId, SessionId } from "../../../contract/ids.ts"
import type { Attachment, InteractionKind, JsonValue } from "../../../contract/values.ts"
import { contextItems } from "../../../projection/context.ts"
import type { CallState } from "../../../session/state.ts"
import type { Tool, Visitor } from "../../../tools/tool.ts"
import { eventsBackwards } from "../../../runner/read-folds.ts"
import type { SessionContext } from "../../../runner/session-context.ts"
import { canShow } from "../../../runner/tools/tool-set.ts"

export function visitorOf(session: SessionContext): Visitor | undefined {
  if (!settingsOf(session.state.created).hasVisitors) return undefined
  return { askedFor: (kind) => askedFor(session, kind) }
}

/** True when the call waits for the visitor now: their client shows what the tool asks for. */
export async function isLeftToVisitor(
  session: SessionContext,
  call: CallState,
  tool: Tool,
  input: JsonValue,
): Promise<boolean> {
  const raised = call.phase === "started" ? undefined : tool.raises?.(input)
  if (raised === undefined || !canShow(session.state, raised.kind)) return false
  const interactionId = interactionIdOf(session.id, call.id)
  const { approvalWaitMs: waitMs } = session.services
  await session.report({ type: "call-interacts", callId: call.id, interactionId, ...raised, waitMs })
  return true
}

/** What was asked in words since the turn began; of earlier turns the context holds no calls. */
function askedFor({ context }: SessionContext, kind: InteractionKind): JsonValue | undefined {
  for (const item of contextItems(context).toReversed()) {
    if (item.kind !== "assistant") continue
    const raise = item.parts.findLast(
      (part) => part.kind === "call" && part.tool === raisingTool[kind] && item.results[part.callId]?.failed === false,
    )
    const spec = raise?.kind === "call" ? readSpec(kind, raise.input) : undefined
    if (spec?.kind === "ok") return spec.value
  }
  return undefined
}

/** The same call always asks the same question, so that a crash does not make two of it. A UUID of version 5. */
function interactionIdOf(sessionId: SessionId, callId: CallId): InteractionId {
  const bytes = createHash("sha1")
    .update(Buffer.from(sessionId.replaceAll("-", ""), "hex"))
    .update(callId)
    .digest()
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString("hex")
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join("-")
}

/** Files that came with the prompts of the running turn. They stand in the log and are read when a tool wants them. */
export async function filesOfTurn(session: SessionContext): Promise<readonly Attachment[]> {
  const { turn, seq } = session.state
  if (turn === undefined || !turn.hasFiles) return []
  const wanted = new Set<string>()
  const files: Attachment[] = []
  let isBeforeTurn = false
  for await (const read of eventsBackwards(session.services.log, session.id, seq)) {
    if (read.kind === "refused") throw new Error(`the files of the turn cannot be read: ${read.refusal.code}`)
    const { event } = read.value
    if (event.type === "prompt.promoted" && event.turnId === turn.id) wanted.add(event.promptId)
    if (event.type === "turn.started" && event.turnId === turn.id) isBeforeTurn = true
    if (event.type === "prompt.admitted" && wanted.delete(event.promptId)) files.unshift(...(event.files ?? []))
    if (isBeforeTurn && wanted.size === 0) break
  }
  return files
}
