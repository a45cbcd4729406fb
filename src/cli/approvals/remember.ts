// What `approve --for` would allow from now on. The pattern is the call's own main argument unless another was given;
// one that does not fit this very call, or that would silently allow more than it seems to, is refused.
import { permissionArgument } from "../../contract/main-argument.ts"
import type { Grant } from "../../contract/values.ts"
import type { OpenRequest } from "../../host/queries/open-requests.ts"
import { fitsGlob } from "../../contract/glob.ts"
import { usageFault } from "../../app/app-fault.ts"
import { oneLine } from "../../contract/printable.ts"

export type Remember = Pick<Grant, "pattern" | "scope">

const shownLength = 80

export interface RememberOptions {
  readonly scope: string | undefined
  readonly pattern: string | undefined
  readonly deny: boolean
}

/** What can be said before the request is known. */
export function checkRemember({ scope, pattern, deny }: RememberOptions): void {
  if (scope === undefined && pattern !== undefined) throw usageFault("--pattern says what --for remembers; give both")
  if (scope === undefined) return
  if (!isScope(scope)) throw usageFault(`--for takes 'session' or 'folder', not '${scope}'`)
  if (deny)
    throw usageFault("a no is not remembered; --for goes with a yes ('tools.deny' of the configuration forbids)")
}

export function rememberOf({ scope, pattern }: RememberOptions, { request, input }: OpenRequest): Remember | undefined {
  if (scope === undefined || !isScope(scope)) return undefined
  if (request.audience === "approver")
    throw usageFault(`the configuration wants every call of ${request.tool} approved; this cannot be remembered`)
  const argument = permissionArgument(request.tool, input)
  if (pattern === undefined && argument.includes("*"))
    throw usageFault("the argument holds a '*', which would stand for any text; say with --pattern what to allow")
  if (pattern !== undefined && !fitsGlob(pattern, argument))
    throw usageFault(`the pattern '${pattern}' does not fit this call: ${oneLine(argument, shownLength)}`)
  return { scope, pattern: pattern ?? argument }
}

function isScope(scope: string): scope is Grant["scope"] {
  return scope === "session" || scope === "folder"
}
