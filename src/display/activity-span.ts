// What a session does, in a few words: one vocabulary for all clients.
import { oneLine } from "../contract/text/text.ts"
import { activityOf, type SessionStatus } from "../projection/status.ts"
import type { Span } from "./spans.ts"
import { clock } from "./time-text.ts"

/** What a client that watches the session knows of it. */
export interface WatchedSession {
  readonly status: SessionStatus
  readonly requests: { readonly approvals: readonly unknown[] }
  readonly turn: {
    readonly startedAt: number | undefined
    readonly end: string | undefined
    readonly stall: string | undefined
    readonly parked?: string | undefined
  }
}

export function activitySpan({ status, turn, requests }: WatchedSession, now: number): Span {
  if (turn.stall !== undefined) return { text: `stalled: ${oneLine(turn.stall, 40)}`, styles: ["warning"] }
  if (status.life === "ended") return { text: "finished", styles: ["muted"] }
  // Also where an agent asks while the session works.
  if (requests.approvals.length > 0) return { text: "waiting for approval", styles: ["accent", "bold"] }
  switch (activityOf(status)) {
    case "asking":
      return { text: "waiting for approval", styles: ["accent", "bold"] }
    case "parked":
      return { text: turn.parked === undefined ? "parked" : `parked (${turn.parked})`, styles: ["accent"] }
    case "hibernated":
      return { text: "suspended", styles: ["muted"] }
    case "busy": {
      const time = turn.startedAt === undefined ? "" : ` ${clock(now - turn.startedAt)}`
      return { text: `${status.compacting ? "compacting" : "working"}${time}`, styles: ["tool"] }
    }
    case "idle":
      if (status.childApprovals > 0) return { text: "an agent waits for approval", styles: ["accent", "bold"] }
      return turn.end === "failed" ? { text: "failed", styles: ["danger"] } : { text: "idle", styles: ["muted"] }
  }
}
