// The permissions that a manifest may request, of all protocol versions. They limit what the host does for an extension;
// the sandbox limits what its process can do.
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

/** Known, and never granted. */
export const reservedPermission = "tools.override"

const known: ReadonlySet<string> = new Set(permissions)
/** An extension with one of these is useful also without a hook. */
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
