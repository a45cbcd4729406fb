// Everything an extension may ask for in its manifest: the union of what the protocol had at first and got later. They
// gate what the host does for it; what the process itself can do is limited by its sandbox.
const permissions = [
  "tools.intercept",
  "privacy.llm_content",
  "session.lifecycle",
  "tools.register",
  "providers.register",
  "memory.read",
  "memory.write",
  "audio.input",
  "audio.output",
  "tools.transform_output",
  "config.write",
  "config.subscribe",
  "context_providers.register",
  "session.drive",
] as const
export type Permission = (typeof permissions)[number]

/** Known, and given to nobody. */
export const reservedPermission = "tools.override"

const known: ReadonlySet<string> = new Set(permissions)
/** An extension with one of these has something to do even without a hook. */
const registering: ReadonlySet<Permission> = new Set([
  "tools.register",
  "providers.register",
  "memory.read",
  "memory.write",
  "config.write",
  "config.subscribe",
  "audio.input",
  "audio.output",
] satisfies Permission[])

export function isPermission(name: string): name is Permission {
  return known.has(name)
}

export function isRegistering(permission: string): boolean {
  return isPermission(permission) && registering.has(permission)
}
