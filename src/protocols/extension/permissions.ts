// The permissions that a manifest may request, of all protocol versions. They limit what the host does for an extension;
// the sandbox limits what its process can do.

/** Whether an extension with this permission is useful also without a hook. */
const permissions = {
  "tools.intercept": false,
  "privacy.llm_content": false,
  "session.lifecycle": false,
  "tools.register": true,
  "providers.register": true,
  "memory.read": true,
  "memory.write": true,
  "audio.input": true,
  "audio.output": true,
  "tools.transform_output": false,
  "config.write": true,
  "config.subscribe": true,
  "context_providers.register": false,
  "session.drive": false,
}
export type Permission = keyof typeof permissions

/** Known, and never granted. */
export const reservedPermission = "tools.override"

export function isPermission(name: string): name is Permission {
  return Object.hasOwn(permissions, name)
}

export function isRegistering(permission: string): boolean {
  return isPermission(permission) && permissions[permission]
}
