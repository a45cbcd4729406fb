// The first request to an extension and what its answer must be. A capability that its manifest does not permit fails
// the handshake: what was granted is what the person who installed it could read.
import type { JsonValue } from "../../contract/values.ts"
import { firstFault } from "./first-fault.ts"
import type { InitializeResult, ProviderSpec, ToolSpec } from "./frames.ts"
import { checks } from "./generated/frames.js"
import type { Permission } from "./permissions.ts"
import { providerProblem } from "./providers.ts"
import { isObject } from "./receive.ts"

export const protocolVersions: readonly number[] = [1, 2]

export interface Greeting {
  readonly release: string
  readonly protocolVersion: number
  readonly pluginId: string
  readonly pluginRoot: string
  readonly config: { readonly [key: string]: JsonValue }
}

export type Greeted =
  | { readonly kind: "greeted"; readonly tools: readonly ToolSpec[]; readonly providers: readonly ProviderSpec[] }
  | { readonly kind: "refused"; readonly reason: string }

export function initializeParams({ release, protocolVersion, pluginId, pluginRoot, config }: Greeting): JsonValue {
  return {
    synaps_version: release,
    extension_protocol_version: protocolVersion,
    plugin_id: pluginId,
    plugin_root: pluginRoot,
    config,
  }
}

export interface Greeter {
  readonly version: number
  readonly permissions: ReadonlySet<string>
  readonly config: Greeting["config"]
}

export function readGreeting(result: JsonValue, { version, permissions, config }: Greeter): Greeted {
  if (!checks.initialized(result))
    return refused(`its answer to initialize is not complete: ${firstFault(checks.initialized.errors)}`)
  // Version 2 only adds to version 1: an extension that answers with 1 does not use what was added.
  if (result.protocol_version !== version && !(version === 2 && result.protocol_version === 1)) {
    return refused(`it answered initialize with protocol version ${result.protocol_version}; ${version} was asked for`)
  }
  const { tools, providers } = capabilitiesOf(result)
  if (tools.length > 0 && !permissions.has("tools.register")) return refused(without("tools", "tools.register"))
  if (providers.length > 0 && !permissions.has("providers.register"))
    return refused(without("providers", "providers.register"))
  const problem = toolProblem(tools) ?? providerProblem(providers, config)
  return problem === undefined ? { kind: "greeted", tools, providers } : refused(problem)
}

function capabilitiesOf({ capabilities }: InitializeResult) {
  if (capabilities === undefined || Array.isArray(capabilities)) return { tools: [], providers: [] }
  const { tools = [], providers = [] } = capabilities
  return { tools, providers }
}

function toolProblem(tools: readonly ToolSpec[]): string | undefined {
  const names = tools.map(({ name }) => name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) return `it registers the tool '${twice}' twice`
  return tools.map(specProblem).find((problem) => problem !== undefined)
}

function specProblem({ name, description, input_schema }: ToolSpec): string | undefined {
  const bytes = Buffer.byteLength(name)
  if (bytes === 0 || bytes > 64 || /[:\s]/.test(name))
    return `'${name.slice(0, 80)}' is no name for a tool: 1 to 64 bytes, no ':', no white space`
  if (description.trim() === "") return `its tool '${name}' has no description`
  return isObject(input_schema) ? undefined : `the input_schema of its tool '${name}' is not an object`
}

function without(what: string, permission: Permission): string {
  return `it registers ${what} without the permission ${permission}`
}

function refused(reason: string): Greeted {
  return { kind: "refused", reason }
}
