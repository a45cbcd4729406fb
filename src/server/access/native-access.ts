// What a key permits at `/house`: everything for the owner, and the granted part for share links and staff.
import type { HostPort } from "../../contract/host-port.ts"
import { GuardedPort } from "../../doors/house/guarded-port.ts"
import type { Pass } from "../../doors/house/connection.ts"
import type { Keyring, KeyHolder } from "../../identity/keyring.ts"
import { rolesOf, type Principal } from "../../identity/principal.ts"

export interface NativeAccessDeps {
  readonly port: HostPort
  readonly keys: Keyring
  /** The principal of a token. */
  readonly principalWith: (token: string) => Promise<Principal | undefined>
  readonly now: () => number
}

export async function nativeAccess(deps: NativeAccessDeps, key: string | undefined): Promise<Pass | undefined> {
  if (key === undefined) return undefined
  const holder = await deps.keys.holderOf(key, deps.now())
  if (holder !== undefined) return passForHolder(deps, holder)
  const principal = await deps.principalWith(key)
  return principal === undefined ? undefined : ofPrincipal(deps, principal)
}

function passForHolder({ port, now }: NativeAccessDeps, holder: KeyHolder): Pass {
  const { name, roles, sessionId } = holder
  const sees = sessionId === undefined ? "everything" : { sessionId }
  const opened = roles === undefined ? port : new GuardedPort(port, { roles, sees })
  return { principal: name, roles, port: opened, isValid: () => holder.isValid(now()) }
}

/** Visitors use `/ws`. */
function ofPrincipal({ port, now }: NativeAccessDeps, principal: Principal): Pass | undefined {
  const { name, org, orgRole, groups, expiresAt = Infinity } = principal
  const roles = rolesOf(orgRole)
  if (roles.length === 0) return undefined
  const guarded = new GuardedPort(port, { roles, sees: { org, groups } })
  return { principal: name, roles, port: guarded, isValid: () => now() < expiresAt }
}
