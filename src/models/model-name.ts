// Splits a model name into provider and model. The part before the first slash is a provider only if one has that name;
// otherwise the whole string is the model, because model names may contain slashes.
export interface Route {
  readonly provider: string
  readonly model: string
}

export interface RouteRules {
  readonly isProvider: (name: string) => boolean
  /** The configured model; its provider serves names without one. */
  readonly configured: string | undefined
  /** The provider of a model according to the price table. */
  readonly servedBy: (model: string) => string | undefined
}

export const offlineProvider = "offline"

/** Undefined if no provider is known for the name. */
export function route(name: string, rules: RouteRules): Route | undefined {
  const named = split(name, rules)
  if (named !== undefined) return named
  const provider = providerOfBareName(name, rules)
  return provider === undefined ? undefined : { provider, model: name }
}

export function split(name: string, { isProvider }: Pick<RouteRules, "isProvider">): Route | undefined {
  const slash = name.indexOf("/")
  if (slash < 1 || slash === name.length - 1) return undefined
  const provider = name.slice(0, slash)
  return isProvider(provider) ? { provider, model: name.slice(slash + 1) } : undefined
}

function providerOfBareName(name: string, rules: RouteRules): string | undefined {
  const { configured, servedBy } = rules
  const ofConfigured =
    configured === undefined ? undefined : (split(configured, rules)?.provider ?? servedBy(configured))
  return ofConfigured ?? servedBy(name)
}
