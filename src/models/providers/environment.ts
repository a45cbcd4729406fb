// Variables of the environment that configure providers.
import type { Environment } from "./provider.ts"

/** The variable of a provider of this name: `MY_GATEWAY_API_KEY`. */
export function variableName(provider: string, suffix: string): string {
  return `${provider.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_")}_${suffix}`
}

/** Undefined if it is not set or empty. */
export function variable(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim()
  return value === undefined || value === "" ? undefined : value
}
