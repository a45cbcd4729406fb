// Model providers of an extension: checks of what it declares in its handshake, where an invalid provider fails the
// handshake, and reading of results and stream events, which never throws.
import { isJsonObject, memberIn } from "../../contract/json-object.ts"
import type { JsonValue } from "../../contract/values.ts"
import type { ProviderModelSpec, ProviderSpec, ProviderBlock, ProviderStreamEvent } from "./frames.ts"
import { extensionLimits } from "./limits.ts"
import { firstFault } from "../json-text.ts"
import { checks } from "./generated/frames.js"

type Config = { readonly [key: string]: JsonValue }

/** For the name of a tool and the id of a model. */
export const nameRule = `1 to ${extensionLimits.nameBytes} bytes, no ':', no white space`

/** What is wrong with them, if anything. `config` has the settings of the extension. */
export function providerProblem(providers: readonly ProviderSpec[], config: Config): string | undefined {
  const duplicate = findDuplicate(providers.map(({ id }) => id))
  if (duplicate !== undefined) return `it registers the provider '${duplicate}' twice`
  return providers.map((provider) => specProblem(provider, config)).find((problem) => problem !== undefined)
}

export function hasCapability({ capabilities = null }: ProviderModelSpec, name: "streaming" | "tool_use"): boolean {
  return memberIn(capabilities, name) === true
}

export function isValidName(name: string): boolean {
  const bytes = Buffer.byteLength(name)
  return bytes > 0 && bytes <= extensionLimits.nameBytes && !/[:\s]/.test(name)
}

export function findDuplicate(names: readonly string[]): string | undefined {
  return names.find((name, at) => names.indexOf(name) !== at)
}

function specProblem(provider: ProviderSpec, config: Config): string | undefined {
  const { id, display_name, description, models } = provider
  if (!/^[a-z0-9_-]{1,64}$/.test(id))
    return `'${id.slice(0, 80)}' is not a valid provider id: 1 to 64 lower-case letters, digits, '-' and '_'`
  if (display_name.trim() === "") return `its provider '${id}' has no display_name`
  if (description.trim() === "") return `its provider '${id}' has no description`
  if (models.length === 0) return `its provider '${id}' has no models`
  const duplicate = findDuplicate(models.map((model) => model.id))
  if (duplicate !== undefined) return `its provider '${id}' has the model '${duplicate}' twice`
  const bad = models.find((model) => !isValidName(model.id))
  if (bad !== undefined) return `'${bad.id.slice(0, 80)}' is not a valid model id: ${nameRule}`
  return configProblem(provider, config)
}

function configProblem({ id, config_schema = null }: ProviderSpec, config: Config): string | undefined {
  if (config_schema === null) return undefined
  if (!isJsonObject(config_schema)) return `the config_schema of its provider '${id}' is not an object`
  const { required } = config_schema
  const keys = Array.isArray(required) ? required.filter((key) => typeof key === "string") : []
  const missing = keys.find((key) => !Object.hasOwn(config, key))
  return missing === undefined ? undefined : `its provider '${id}' needs the setting '${missing}', which is not set`
}

export interface ProviderAnswer {
  readonly blocks: readonly ProviderBlock[]
  readonly stopReason: string | undefined
  readonly usage: JsonValue
}

type ReadAnswer =
  | { readonly kind: "answer"; readonly answer: ProviderAnswer }
  | { readonly kind: "invalid"; readonly problem: string }

const knownTypes: ReadonlySet<JsonValue | undefined> = new Set([
  "text",
  "thinking",
  "tool_use",
] satisfies ProviderBlock["type"][])

/**
 * A block of an unknown type is left out; an invalid block of a known type invalidates the whole result, since the
 * missing part could be the one that matters.
 */
export function readProviderResult(result: JsonValue): ReadAnswer {
  if (!checks["provider.result"](result)) return invalid(firstFault(checks["provider.result"].errors))
  const { content, stop_reason, usage = null } = result
  const blocks: ProviderBlock[] = []
  for (const block of content.filter(({ type }) => knownTypes.has(type))) {
    if (!checks["provider.block"](block))
      return invalid(`a block of the type ${JSON.stringify(block["type"])} is incomplete`)
    blocks.push(block)
  }
  return { kind: "answer", answer: { blocks, stopReason: stop_reason ?? undefined, usage } }
}

/** Undefined for anything else. */
export function readStreamEvent(params: JsonValue): ProviderStreamEvent | undefined {
  const event = isJsonObject(params) ? (params["event"] ?? params) : null
  if (!checks["provider.stream.event"](event)) return undefined
  const isEmpty = (event.type === "text" || event.type === "thinking") && deltaText(event) === undefined
  return isEmpty ? undefined : event
}

/** Both names are in use. */
export function deltaText(event: Extract<ProviderStreamEvent, { type: "text" | "thinking" }>): string | undefined {
  return event.delta ?? event.text
}

function invalid(problem: string): ReadAnswer {
  return { kind: "invalid", problem }
}
