// What an approval card shows of a request, and its keys: which answers the request can have.
import { rememberedCall } from "../contract/rules/approval-answers.ts"
import { permissionArgument, sendsTo } from "../contract/rules/core-tools.ts"
import { offeredPattern, sparesCause } from "../contract/rules/grants.ts"
import { networkTool } from "../contract/rules/network-rules.ts"
import { oneLine } from "../contract/text/text.ts"
import type { JsonValue } from "../contract/values.ts"
import type { OpenApproval } from "../projection/open-requests.ts"
import type { ShownCall } from "./call-lines.ts"
import type { Choice } from "./card-lines.ts"

const MAX_PATTERN_SHOWN = 200

/** `edited`: other arguments of the person. What they would do to files is not known. */
export function shownCall({ tool, input, changes }: OpenApproval, edited: JsonValue | undefined): ShownCall {
  return edited === undefined ? { tool, input, changes } : { tool, input: edited }
}

/** A changed call is approved once. */
export function approvalChoices(request: OpenApproval, isEdited: boolean): readonly Choice[] {
  const pattern = isEdited ? undefined : grantablePattern(request)
  const isChangeable = request.tool !== networkTool && request.server === undefined
  const always = [
    { key: "a", label: `always for ${covered(pattern, request)}` },
    ...(isWider(pattern, request) ? [{ key: "t", label: "always for exactly this call" }] : []),
    { key: "f", label: "always in this folder" },
  ]
  return [
    { key: "y", label: isEdited ? "yes, run the changed call" : "yes" },
    { key: "n", label: "no, tell the agent why" },
    ...(pattern === undefined ? [] : always),
    ...(isChangeable ? [{ key: "e", label: isEdited ? "edit again" : "edit before running" }] : []),
    { key: "d", label: "details" },
  ]
}

/** A permission in advance must spare the next such request: other causes ask again anyway. */
export function grantablePattern({ tool, input, audience, causes }: OpenApproval): string | undefined {
  const isCovered = causes !== undefined && causes.every((cause) => sparesCause(tool, cause))
  return audience === "driver" && isCovered ? offeredPattern(tool, input) : undefined
}

/** Whether the pattern covers more than this call, which could be allowed alone. */
function isWider(pattern: string | undefined, { tool, input }: OpenApproval): boolean {
  return pattern !== undefined && tool !== networkTool && (rememberedCall(tool, input)?.pattern ?? pattern) !== pattern
}

function covered(pattern: string | undefined, { tool, input }: OpenApproval): string {
  if (tool === networkTool) return oneLine(pattern ?? "", MAX_PATTERN_SHOWN)
  if (sendsTo(tool) === "any host") return `pages of ${oneLine(pattern ?? "", MAX_PATTERN_SHOWN)}`
  if (pattern === "*" || sendsTo(tool) !== undefined) return `every ${oneLine(tool, 40)}`
  const isExact = pattern === undefined || pattern === permissionArgument(tool, input)
  return isExact ? "exactly this call" : `"${oneLine(pattern, MAX_PATTERN_SHOWN)}"`
}
