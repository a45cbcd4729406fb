// Checks of the model providers that an extension declares in its handshake. An invalid one fails the handshake.
import { isJsonObject, memberIn } from "../../contract/json-object.ts"
import type { JsonValue } from "../../contract/values.ts"
import type { ProviderModelSpec, ProviderSpec } from "./frames.ts"
import { extensionLimits } from "./limits.ts"

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
