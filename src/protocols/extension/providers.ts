// The providers of models that an extension declares when it is greeted: what they must be, and the names of their
// models. One that is not as it must be fails the handshake, like a tool.
import type { JsonValue } from "../../contract/values.ts"
import type { ProviderModelSpec, ProviderSpec } from "./frames.ts"
import { isObject } from "./receive.ts"

/** What is wrong with them, if anything is. `config` are the extension's settings, as far as there are any. */
export function providerProblem(
  providers: readonly ProviderSpec[],
  config: { readonly [key: string]: JsonValue },
): string | undefined {
  const twice = repeated(providers)
  if (twice !== undefined) return `it registers the provider '${twice}' twice`
  return providers.map((provider) => specProblem(provider, config)).find((problem) => problem !== undefined)
}

export function canDo({ capabilities = null }: ProviderModelSpec, what: "streaming" | "tool_use"): boolean {
  return isObject(capabilities) && capabilities[what] === true
}

function specProblem(provider: ProviderSpec, config: { readonly [key: string]: JsonValue }): string | undefined {
  const { id, display_name, description, models } = provider
  if (!/^[a-z0-9_-]{1,64}$/.test(id))
    return `'${id.slice(0, 80)}' is no id for a provider: 1 to 64 small letters, digits, '-' and '_'`
  if (display_name.trim() === "") return `its provider '${id}' has no display_name`
  if (description.trim() === "") return `its provider '${id}' has no description`
  if (models.length === 0) return `its provider '${id}' has no models`
  const twice = repeated(models)
  if (twice !== undefined) return `its provider '${id}' has the model '${twice}' twice`
  const bad = models.find((model) => !isModelId(model.id))
  if (bad !== undefined) return `'${bad.id.slice(0, 80)}' is no id for a model: 1 to 64 bytes, no ':', no white space`
  return configProblem(provider, config)
}

function configProblem({ id, config_schema = null }: ProviderSpec, config: object): string | undefined {
  if (config_schema === null) return undefined
  if (!isObject(config_schema)) return `the config_schema of its provider '${id}' is not an object`
  const { required } = config_schema
  const keys = Array.isArray(required) ? required.filter((key) => typeof key === "string") : []
  const missing = keys.find((key) => !Object.hasOwn(config, key))
  return missing === undefined ? undefined : `its provider '${id}' needs the setting '${missing}', which is not set`
}

function isModelId(id: string): boolean {
  const bytes = Buffer.byteLength(id)
  return bytes > 0 && bytes <= 64 && !/[:\s]/.test(id)
}

function repeated(all: readonly { readonly id: string }[]): string | undefined {
  const ids = all.map(({ id }) => id)
  return ids.find((id, at) => ids.indexOf(id) !== at)
}
