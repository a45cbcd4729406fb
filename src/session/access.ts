// Which role a command takes. A principal without roles is the local user and may do everything.
import type { Refusal } from "../contract/refusals.ts"
import type { Role, Who } from "../contract/values.ts"

export function roleRefusal(role: Role, who: Who): Refusal | undefined {
  return hasRole(who, role) ? undefined : { code: "role.missing", role }
}

export function hasRole({ roles }: Who, role: Role): boolean {
  return roles === undefined || roles.includes(role)
}
