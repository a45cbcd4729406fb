// The first request to an extension, and the check of its result. A capability that the manifest does not permit fails the
// handshake: an extension gets only what the user could read when installing it.
import { isJsonObject } from "../../contract/json-object.ts"
import type { JsonValue } from "../../contract/values.ts"
import { firstFault } from "../json-text.ts"
import type { InitializeResult, ProviderSpec, ToolSpec } from "./frames.ts"
import { checks } from "./generated/frames.js"
import type { Permission } from "./permissions.ts"
import { findDuplicate, isValidName, nameRule, providerProblem } from "./providers.ts"

export const protocolVersions: readonly number[] = [1, 2]

export interface InitializeOptions {
  readonly release: string
  readonly protocolVersion: number
  readonly pluginId: string
  readonly pluginRoot: string
  readonly config: { readonly [key: string]: JsonValue }
}

export type InitializeOutcome =
  | { readonly kind: "initialized"; readonly tools: readonly ToolSpec[]; readonly providers: readonly ProviderSpec[] }
  | { readonly kind: "refused"; readonly reason: string }

export function initializeParams(options: InitializeOptions): JsonValue {
  return {
    synaps_version: options.release,
    extension_protocol_version: options.protocolVersion,
    plugin_id: options.pluginId,
    plugin_root: options.pluginRoot,
    config: options.config,
  }
}

/** What the manifest and the settings allow. */
export interface ExtensionRights {
  readonly version: number
  readonly permissions: ReadonlySet<string>
  readonly config: InitializeOptions["config"]
}

export function readInitializeResult(
  result: JsonValue,
  { version, permissions, config }: ExtensionRights,
): InitializeOutcome {
  if (!checks.initialized(result))
    return refused(`its result of initialize is incomplete: ${firstFault(checks.initialized.errors)}`)
  // Version 2 only adds to version 1: an extension that answers with 1 does not use what was added.
  if (result.protocol_version !== version && !(version === 2 && result.protocol_version === 1))
    return refused(`it answered initialize with protocol version ${result.protocol_version} instead of ${version}`)
  const { tools, providers } = capabilitiesOf(result)
  if (tools.length > 0 && !permissions.has("tools.register")) return refused(notPermitted("tools", "tools.register"))
  if (providers.length > 0 && !permissions.has("providers.register"))
    return refused(notPermitted("providers", "providers.register"))
  const problem = toolProblem(tools) ?? providerProblem(providers, config)
  return problem === undefined ? { kind: "initialized", tools, providers } : refused(problem)
}

function capabilitiesOf({ capabilities }: InitializeResult) {
  if (capabilities === undefined || Array.isArray(capabilities)) return { tools: [], providers: [] }
  const { tools = [], providers = [] } = capabilities
  return { tools, providers }
}

function toolProblem(tools: readonly ToolSpec[]): string | undefined {
  const duplicate = findDuplicate(tools.map(({ name }) => name))
  if (duplicate !== undefined) return `it registers the tool '${duplicate}' twice`
  return tools.map(specProblem).find((problem) => problem !== undefined)
}

function specProblem({ name, description, input_schema }: ToolSpec): string | undefined {
  if (!isValidName(name)) return `'${name.slice(0, 80)}' is not a valid tool name: ${nameRule}`
  if (description.trim() === "") return `its tool '${name}' has no description`
  return isJsonObject(input_schema) ? undefined : `the input_schema of its tool '${name}' is not an object`
}

function notPermitted(what: string, permission: Permission): string {
  return `it registers ${what} without the permission ${permission}`
}

function refused(reason: string): InitializeOutcome {
  return { kind: "refused", reason }
}
