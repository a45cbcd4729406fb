// The visitor of a service session as tools see it, calls that only the visitor can answer, and files sent with prompts.
import { settingsOf } from "../../../contract/rules/session-settings.ts"
import { createHash } from "node:crypto"
import { requestTool, readSpec } from "../../../contract/rules/interactions.ts"
import type { CallId, InteractionId, SessionId } from "../../../contract/ids.ts"
import type { Attachment, InteractionKind, JsonValue } from "../../../contract/values.ts"
import { contextItems } from "../../../projection/context.ts"
import type { Visitor } from "../../../tools/tool.ts"
import { eventsBackwards } from "../../../runner/read-folds.ts"
import type { GatedCall, SessionContext } from "../../../runner/session-context.ts"
import { canShow } from "../../../runner/tools/tool-set.ts"

export function visitorOf(session: SessionContext): Visitor | undefined {
  if (!settingsOf(session.state.created).hasVisitors) return undefined
  return { requestedSpec: (kind) => requestedSpec(session, kind) }
}

/** True if the call now waits for the visitor, whose client can show the interaction. */
export async function waitsForVisitor({ session, call, tool, input }: GatedCall): Promise<boolean> {
  const request = call.phase === "started" ? undefined : tool.interaction?.(input)
  if (request === undefined || !canShow(session.state, request.kind)) return false
  const interactionId = interactionIdOf(session.id, call.id)
  const { approvalWaitMs: waitMs } = session.services
  await session.report({ type: "call-interacts", callId: call.id, interactionId, ...request, waitMs })
  return true
}

/** The newest spec of this kind that was asked for in text in the running turn; the context has no calls of earlier ones. */
function requestedSpec({ context }: SessionContext, kind: InteractionKind): JsonValue | undefined {
  for (const item of contextItems(context).toReversed()) {
    if (item.kind !== "assistant") continue
    const call = item.parts.findLast(
      (part) => part.kind === "call" && part.tool === requestTool[kind] && item.results[part.callId]?.failed === false,
    )
    const spec = call?.kind === "call" ? readSpec(kind, call.input) : undefined
    if (spec?.kind === "ok") return spec.value
  }
  return undefined
}

/** A version 5 UUID of the call, so that a crash does not create a second interaction. */
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

/** Files sent with the prompts of the running turn, read from the log. */
export async function filesOfTurn(session: SessionContext): Promise<readonly Attachment[]> {
  const { turn, seq } = session.state
  if (turn === undefined || !turn.hasFiles) return []
  const promptIds = new Set<string>()
  const files: Attachment[] = []
  let isBeforeTurn = false
  for await (const read of eventsBackwards(session.services.log, session.id, seq)) {
    if (read.kind === "refused") throw new Error(`the files of the turn cannot be read: ${read.refusal.code}`)
    const { event } = read.value
    if (event.type === "prompt.promoted" && event.turnId === turn.id) promptIds.add(event.promptId)
    if (event.type === "turn.started" && event.turnId === turn.id) isBeforeTurn = true
    if (event.type === "prompt.admitted" && promptIds.delete(event.promptId)) files.unshift(...(event.files ?? []))
    if (isBeforeTurn && promptIds.size === 0) break
  }
  return files
}
