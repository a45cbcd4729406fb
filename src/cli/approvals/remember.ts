// The standing permission of `approve --for`. Its pattern is the call's main argument by default; a pattern that does not
// match this call, or that allows more than it seems to, is refused.
import { permissionArgument } from "../../contract/rules/core-tools.ts"
import type { Grant } from "../../contract/values.ts"
import type { PendingRequest } from "../../app/sessions/approvals.ts"
import { permits } from "../../contract/rules/grants.ts"
import { usageFault } from "../../app/app-fault.ts"
import { oneLine } from "../../contract/text/text.ts"

export type Remember = Pick<Grant, "pattern" | "scope">

const shownLength = 80

export interface RememberOptions {
  readonly scope: string | undefined
  readonly pattern: string | undefined
  readonly deny: boolean
}

/** Checks that do not need the request. */
export function checkRemember({ scope, pattern, deny }: RememberOptions): void {
  if (scope === undefined && pattern !== undefined) throw usageFault("--pattern needs --for session or --for folder")
  if (scope === undefined) return
  if (!isScope(scope)) throw usageFault(`--for: '${scope}' is not a scope. Use 'session' or 'folder'.`)
  if (deny)
    throw usageFault(
      "--for cannot be combined with --deny. To deny a tool always, use 'tools.deny' in the configuration.",
    )
}

export function rememberOf(
  { scope, pattern }: RememberOptions,
  { request, input }: PendingRequest,
): Remember | undefined {
  if (scope === undefined || !isScope(scope)) return undefined
  if (request.audience === "approver")
    throw usageFault(`the configuration requires approval for every call of ${request.tool}. Leave out --for.`)
  const argument = permissionArgument(request.tool, input)
  if (pattern === undefined && argument.includes("*"))
    throw usageFault("the argument contains a '*', which would match any text. Name the calls to allow with --pattern.")
  if (pattern !== undefined && !permits({ tool: request.tool, pattern }, input))
    throw usageFault(
      `the pattern '${pattern}' does not match this call: ${oneLine(argument, shownLength)}. A '*' matches neither shell operators such as ';' and '$' nor paths with '..'.`,
    )
  return { scope, pattern: pattern ?? argument }
}

function isScope(scope: string): scope is Grant["scope"] {
  return scope === "session" || scope === "folder"
}
