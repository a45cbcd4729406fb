// What is wrong, for two readers: a sentence for the visitor, by the name of its text, and for the developer of the page what
// to do. Pure.
import {
  NotConnected,
  RequestRefused,
  TurnCancelled,
  TurnFailed,
  TurnLost,
  TurnRefused,
} from "../../../src/clients/ws/index.ts"
import type { NoticeLine } from "./lines.ts"

export interface Problem {
  readonly code: string
  readonly message: string
}

/** Why no conversation can be opened; undefined if another attempt may succeed. */
export function refusalProblem(fault: unknown, agent: string, origin: string): Problem | undefined {
  if (!(fault instanceof RequestRefused)) return undefined
  const { code } = fault
  switch (code) {
    case "ORIGIN_NOT_ALLOWED":
      return {
        code,
        message: `pages of ${origin} may not use agent "${agent}". Add it to agents.${agent}.embed.origins.`,
      }
    case "AGENT_NOT_AUTHORIZED":
      return {
        code,
        message: `agent "${agent}" is not configured at this server, or needs a token (attribute token, docs/identity.md).`,
      }
    case "AUTH_CONTEXT_INVALID":
      return {
        code,
        message: `the signature of authContext is wrong or older than a minute. Sign again for every connection, with the key agents.${agent}.embed.key.`,
      }
    case "INTERNAL_ERROR":
    case "STORAGE_ERROR":
    case "RATE_LIMITED":
      return undefined
    default:
      return { code, message: fault.message }
  }
}

/** The server ends connections whose token has expired with this code. */
const POLICY = 1008

export function isExpired(fault: unknown): boolean {
  return fault instanceof NotConnected && fault.code === POLICY
}

/** What the visitor reads when a turn ends without a reply. `text`: the message that started it, if it is known. */
export function turnNotice(fault: unknown, text: string | undefined): Omit<NoticeLine, "id"> {
  const retry = text === undefined ? {} : { retry: text }
  if (fault instanceof TurnCancelled) return { kind: "notice", text: "cancelled" }
  if (fault instanceof TurnRefused) return { kind: "notice", text: refusals.get(fault.code) ?? "notSent", ...retry }
  if (fault instanceof TurnFailed) return { kind: "notice", text: "failed", ...retry }
  if (fault instanceof TurnLost)
    return { kind: "notice", text: fault.isStored === false ? "notSent" : "lost", ...retry }
  return { kind: "notice", text: "failed", ...retry }
}

const refusals: ReadonlyMap<string, NoticeLine["text"]> = new Map([
  ["RATE_LIMITED", "busy"],
  ["TURN_IN_PROGRESS", "busy"],
  ["FRAME_TOO_LARGE", "tooLong"],
  ["VALIDATION_ERROR", "tooLong"], // the widget never sends a blank message
])
