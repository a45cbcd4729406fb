// Server-sent events, pure: requests to commands, items of a session to frames. An event's seq is its SSE id, so that a
// client continues with `Last-Event-ID`; text carries its position, because deltas have no id.
import { checkCommand } from "../../../src/contract/generated/commands.js"
import type { SessionCommand } from "../../../src/contract/commands.ts"
import type { SessionEvent } from "../../../src/contract/events.ts"
import type { WatchItem } from "../../../src/contract/host-port.ts"
import type { CallId, SessionId, StepId } from "../../../src/contract/ids.ts"
import type { JsonValue } from "../../../src/contract/values.ts"
import { foldRequests, noRequests } from "../../../src/projection/open-requests.ts"
import { UnsentText } from "../../../src/projection/unsent-text.ts"

/** The body of a POST has the fields of its command; undefined where they are missing or wrong. */
export function decodeCommand(type: "prompt" | "approve", id: string, body: string): SessionCommand | undefined {
  const ids = type === "prompt" ? { promptId: id, ifBusy: "wait" } : { approvalId: id }
  try {
    const command: unknown = { ...JSON.parse(body), ...ids, type }
    return checkCommand(command) ? command : undefined
  } catch {
    return undefined
  }
}

type Block = { readonly stepId: StepId; readonly block: number }

/** What one client is sent. It has all events up to the cursor: they are only folded. */
export function sseView(sessionId: SessionId, cursor: number) {
  const inputs = new Map<CallId, JsonValue>()
  const unsent = new UnsentText()
  let requests = noRequests

  /** All requests that wait for a person: sent to a client that joins, and with every change. */
  const approvals = () => {
    const open = requests.approvals.map(({ approvalId, tool, input }) => ({ approvalId, tool, input }))
    return frame("approvals", open)
  }

  const text = (how: "delta" | "textSoFar" | "ended", { stepId, block }: Block, given: string) => {
    const start = unsent.sent(block)
    const rest = unsent[how](stepId, block, given)
    return rest === "" ? "" : frame("text", { block, start, text: rest })
  }

  const turnEvent = (event: SessionEvent) => {
    if (event.type === "tool.called" || event.type === "tool.modified") inputs.set(event.callId, event.input)
    if (event.type === "step.started") unsent.startStep(event.stepId)
    if (event.type === "text.ended") return text("ended", event, event.text)
    return event.type === "turn.ended" ? frame("turn-ended", { reason: event.reason }) : ""
  }

  const encode = (item: WatchItem): string => {
    if (item.kind === "lost") return frame("lost", { code: item.refusal.code })
    if (item.kind === "delta")
      return item.delta.type === "text.delta" ? text("delta", item.delta, item.delta.delta) : ""
    if (item.kind === "streamed") {
      const blocks = item.blocks.filter(({ kind }) => kind === "text")
      return blocks.map((block) => text("textSoFar", { ...block, stepId: item.stepId }, block.text)).join("")
    }
    const { recorded } = item
    const before = requests.approvals
    requests = foldRequests(requests, recorded, sessionId, (callId) => inputs.get(callId))
    const frames = before === requests.approvals ? turnEvent(recorded.event) : approvals()
    return recorded.seq > cursor ? `id: ${recorded.seq}\n${frames === "" ? "\n" : frames}` : ""
  }
  return { approvals, encode }
}

function frame(event: string, data: JsonValue): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
