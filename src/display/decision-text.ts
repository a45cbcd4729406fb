// Who answered a request for approval, and from where.
import { principalName } from "../contract/rules/approval-answers.ts"
import { oneLine } from "../contract/text/text.ts"
import type { By } from "../contract/values.ts"
import type { ApprovalEntry } from "../projection/transcript.ts"
import { moment } from "./format.ts"
import { safe } from "./safe-text.ts"

const MAX_CALL = 200

/** `✓ approved by root on console, 09:41:07 · git push origin main`; undefined if the viewer
 *  answered through a client like this one, and knows. */
export function decisionText(
  { outcome, by, answer, decidedAt }: ApprovalEntry,
  viewer: By | undefined,
  call: string,
): string | undefined {
  if (answer !== undefined)
    return `answered${by === undefined ? "" : ` by ${principalName(by.principal)}`}: ${safe(answer)}`
  if (outcome === "expired") return "✗ not answered in time"
  if (by === undefined || outcome === undefined || outcome === "void") return undefined
  const isOwn = by.principal === viewer?.principal
  if (isOwn && by.door === viewer?.door) return undefined
  const time = decidedAt === undefined ? "" : `, ${moment(decidedAt).slice(11)}`
  const decision = `${outcome === "approved" ? "✓" : "✗"} ${outcome} by ${isOwn ? "you" : principalName(by.principal)} on ${by.door}`
  return safe(`${decision}${time} · ${oneLine(call, MAX_CALL)}`)
}
