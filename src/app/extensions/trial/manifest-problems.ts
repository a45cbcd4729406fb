// Reports all problems of a manifest, where the host stops at the first. Each part is judged by the host's own check, in
// an otherwise valid manifest, so that the messages are the same.
import { sourcesFor, type DiscoveryRequest } from "../../../hooks/discovery/discover.ts"
import { checkManifest, readManifest } from "../../../hooks/discovery/manifest.ts"
import { resolveConfig } from "../../../hooks/discovery/resolve-config.ts"
import type { ExtensionManifest } from "../../../protocols/extension/frames.ts"
import { protocolVersions } from "../../../protocols/extension/handshake.ts"
import { isPermission } from "../../../protocols/extension/permissions.ts"

const registers = "tools.register"
const validManifest: ExtensionManifest = { runtime: "process", command: "true", permissions: [registers] }

export function manifestProblems(id: string, text: string, request: DiscoveryRequest): readonly string[] {
  const read = readManifest(text)
  if (read.kind === "none") return ["the manifest has no field 'extension': this is not an extension"]
  if (read.kind === "bad") return read.reasons
  const { config = [] } = read.manifest
  const checks = [
    ...config.map((entry) => resolveConfig(id, [entry], sourcesFor(id, request))),
    ...partsOf(read.manifest).map((part) => checkManifest(part, { isStrict: true })),
  ]
  return [...new Set(checks.flatMap((check) => (check.kind === "bad" ? [check.reason] : [])))]
}

function partsOf(manifest: ExtensionManifest): readonly ExtensionManifest[] {
  const { protocol_version: requestedVersion = 1, command, permissions = [], hooks = [] } = manifest
  const version = protocolVersions.includes(requestedVersion) ? requestedVersion : Math.max(...protocolVersions)
  const granted = permissions.filter(isPermission)
  return [
    { ...validManifest, protocol_version: requestedVersion },
    { ...validManifest, command },
    ...(hooks.length === 0 ? [{ ...validManifest, permissions: granted }] : []),
    ...permissions.map((permission) => ({ ...validManifest, permissions: [registers, permission] })),
    ...hooks.map((hook) => ({ ...validManifest, protocol_version: version, permissions: granted, hooks: [hook] })),
  ]
}
