// Parses and checks a manifest before any process starts. The order of the checks is part of the protocol: after fixing
// one fault an author sees the next one that the upstream host would report.
import { messageOf } from "../../contract/faults.ts"
import { isJsonObject, memberIn, parseJson, tryParseJson } from "../../contract/json-object.ts"
import type { JsonValue } from "../../contract/values.ts"
import type {
  ExtensionManifest,
  HookKind,
  ManifestHook,
  Match,
  SandboxNeeds,
} from "../../protocols/extension/frames.ts"
import { checks, type Fault } from "../../protocols/extension/generated/frames.js"
import { protocolVersions } from "../../protocols/extension/handshake.ts"
import { hookRules, isHookKind } from "../../protocols/extension/hook-kinds.ts"
import { isPermission, isRegistering, reservedPermission } from "../../protocols/extension/permissions.ts"

export interface Subscription {
  readonly kind: HookKind
  /** Exact name of a tool. */
  readonly tool: string | undefined
  readonly match: Match | undefined
}

export type ReadManifest =
  | { readonly kind: "manifest"; readonly manifest: ExtensionManifest }
  /** The plugin has no extension. */
  | { readonly kind: "none" }
  | { readonly kind: "bad"; readonly reasons: readonly [string, ...string[]] }

export type CheckedManifest =
  | {
      readonly kind: "ok"
      readonly version: number
      readonly permissions: readonly string[]
      readonly subscriptions: readonly Subscription[]
      /** Hooks and permissions that this host does not know; the rest of it works. */
      readonly unknown: readonly string[]
    }
  | { readonly kind: "bad"; readonly reason: string }

export interface CheckOptions {
  /** Unknown hooks are a fault: a guard must not start with part of its hooks. */
  readonly isStrict?: boolean
  /** It handles slash commands. */
  readonly hasCommands?: boolean
}

export function readManifest(text: string): ReadManifest {
  let plugin: JsonValue
  try {
    plugin = parseJson(text)
  } catch (fault) {
    return { kind: "bad", reasons: [`the manifest is not JSON: ${messageOf(fault)}`] }
  }
  if (!isJsonObject(plugin)) return { kind: "bad", reasons: ["the manifest is not a JSON object"] }
  const { extension } = plugin
  if (extension === undefined) return { kind: "none" }
  if (checks.manifest(extension)) return { kind: "manifest", manifest: extension }
  return { kind: "bad", reasons: shapeFaults(checks.manifest.errors ?? []) }
}

/** For plugins without a valid extension the needs are at the top level. */
export function sandboxNeeds(text: string): SandboxNeeds | undefined {
  const read = readManifest(text)
  if (read.kind === "manifest") return read.manifest.sandbox
  const needs = memberIn(tryParseJson(text), "sandbox")
  return checks.sandbox(needs) ? needs : undefined
}

export function checkManifest(
  manifest: ExtensionManifest,
  { isStrict = false, hasCommands = false }: CheckOptions = {},
): CheckedManifest {
  const { protocol_version: version = 1, command, permissions = [], hooks = [] } = manifest
  if (!protocolVersions.includes(version))
    return bad(`it requires protocol version ${version}; supported: ${protocolVersions.join(", ")}`)
  if (command.trim() === "") return bad("its command is empty")
  const known = hooks.filter(({ hook }) => isHookKind(hook))
  const unknown = [...permissions.map(permissionProblem), ...hooks.map(hookProblem)].filter((one) => one !== undefined)
  const [first] = unknown
  const hasNothing = known.length === 0 && !hasCommands && !permissions.some(isRegistering)
  if (hasNothing && (hooks.length === 0 || first === undefined))
    return bad("it has no hooks, no commands and no permission to register anything")
  if (first !== undefined && (isStrict || hasNothing)) return bad(first)
  const subscriptions: Subscription[] = []
  for (const hook of known) {
    const subscribed = subscribe(hook, version, permissions)
    if (typeof subscribed === "string") return bad(subscribed)
    subscriptions.push(subscribed)
  }
  return { kind: "ok", version, permissions: permissions.filter(isPermission), subscriptions, unknown }
}

function hookProblem({ hook }: ManifestHook): string | undefined {
  return isHookKind(hook) ? undefined : `there is no hook '${hook}'`
}

function permissionProblem(permission: string): string | undefined {
  if (permission === reservedPermission) return `the permission ${permission} is reserved and cannot be granted`
  return isPermission(permission) ? undefined : `there is no permission '${permission}'`
}

function subscribe(hook: ManifestHook, version: number, permissions: readonly string[]): Subscription | string {
  const { hook: kind, tool, match } = hook
  if (!isHookKind(kind)) return `there is no hook '${kind}'`
  const { permission, takesTool, since } = hookRules[kind]
  if (since > version) return `the hook ${kind} needs protocol version ${since}; the manifest says ${version}`
  if (!permissions.includes(permission)) return `the hook ${kind} needs the permission ${permission}`
  if (typeof tool === "string" && !takesTool) return `the hook ${kind} takes no tool`
  return { kind, tool: tool ?? undefined, match: match ?? undefined }
}

function bad(reason: string): { kind: "bad"; reason: string } {
  return { kind: "bad", reason }
}

function shapeFaults(faults: readonly Fault[]): readonly [string, ...string[]] {
  const places = [...new Set(faults.map(({ instancePath }) => instancePath))]
  const isInside = (place: string) => places.some((other) => other.startsWith(`${place}/`))
  const sentences = places.flatMap((place) => {
    const localFaults = faults.filter(({ instancePath }) => instancePath === place)
    return faultsAt(localFaults, isInside(place)).map((problem) => `extension${dotted(place)} ${problem}`)
  })
  const [first = "the member extension is invalid", ...rest] = new Set(sentences)
  return [first, ...rest]
}

/** Drops "should be X" where a more specific fault exists below the same place. */
function faultsAt(faults: readonly Fault[], hasInnerFaults: boolean): readonly string[] {
  const unknown = faults.flatMap(({ params }) => {
    const { additionalProperty: name } = params
    return typeof name === "string" ? [`has an unknown member '${name}'`] : []
  })
  const missing = faults.flatMap(({ keyword, message }) => (keyword === "required" ? [message] : []))
  const parts = [...unknown, ...missing]
  if (parts.length > 0 || hasInnerFaults) return parts
  const shapes = faults.filter(({ keyword }) => keyword !== "anyOf" && keyword !== "oneOf").map(faultText)
  const [first = "is invalid", ...rest] = [...new Set(shapes)]
  return [[first, ...rest.map((message) => message.replace(/^must be /, ""))].join(" or ")]
}

function faultText({ keyword, params, message }: Fault): string {
  const { allowedValue, allowedValues } = params
  if (keyword === "const") return `must be ${JSON.stringify(allowedValue)}`
  if (Array.isArray(allowedValues)) return `must be ${allowedValues.map((value) => JSON.stringify(value)).join(" or ")}`
  return message.replaceAll(",", " or ")
}

function dotted(place: string): string {
  return place.replaceAll(/\/(\d+)(?=\/|$)/g, "[$1]").replaceAll("/", ".")
}
