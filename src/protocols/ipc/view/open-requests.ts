// What waits for a person, in this session and in those that descend from it, oldest first.
import type { EventOf } from "../../../contract/events.ts"
import type { ApprovalId, SessionId } from "../../../contract/ids.ts"
import type { JsonValue } from "../../../contract/values.ts"
import type { TranscriptItem } from "../../../projection/transcript.ts"
import { decisionWords, requestWords, type Request } from "./approval-text.ts"

export class Requests {
  readonly #sessionId: SessionId
  readonly #open = new Map<ApprovalId, Request>()
  #answeredAt: number | undefined

  constructor(sessionId: SessionId, items: readonly TranscriptItem[]) {
    this.#sessionId = sessionId
    for (const item of items) this.#takeOver(item)
  }

  get open(): readonly Request[] {
    return [...this.#open.values()]
  }

  /** When one of them was last answered, by whomever. */
  get answeredAt(): number | undefined {
    return this.#answeredAt
  }

  /** The tool that waits longest. */
  get asking(): string | undefined {
    return this.#open.values().next().value?.tool
  }

  requested(event: EventOf<"approval.requested">, seq: number, input: JsonValue = null): Request {
    const { approvalId, tool, reason, digest } = event
    return this.#add({ approvalId, sessionId: this.#sessionId, tool, input, reason, digest, seq })
  }

  asked(event: EventOf<"child.asked">, seq: number): Request {
    const { approvalId, sessionId, tool, input, reason, digest } = event
    return this.#add({ approvalId, sessionId, tool, input, reason, digest, seq })
  }

  /** In words, once. */
  decided(event: EventOf<"approval.decided" | "child.answered">, at: number): string | undefined {
    const { approvalId, outcome, by } = event
    const request = this.#open.get(approvalId)
    this.#open.delete(approvalId)
    this.#answeredAt = at
    return request === undefined ? undefined : decisionWords(approvalId, request.tool, outcome, by)
  }

  /** Those that are open although what was said of them is hidden now. */
  hiddenBy(event: EventOf<"context.cleared" | "context.rewound">): readonly Request[] {
    return event.type === "context.cleared" ? this.open : this.open.filter(({ seq }) => seq > event.toSeq)
  }

  words(request: Request): string {
    return requestWords(request, request.sessionId === this.#sessionId ? undefined : request.sessionId)
  }

  #takeOver(item: TranscriptItem): void {
    if (item.kind !== "call" || item.approval === undefined || item.approval.outcome !== undefined) return
    const { seq, tool, input, approval } = item
    const { id: approvalId, reason } = approval
    this.#add({ approvalId, sessionId: this.#sessionId, tool, input, reason, digest: undefined, seq })
  }

  #add(request: Request): Request {
    this.#open.set(request.approvalId, request)
    return request
  }
}
