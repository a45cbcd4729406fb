// Which provider a model name goes to. The part before the first slash is a provider only if there is one of that
// name; otherwise the whole string is the model, since models may have slashes in their names too.
export interface Route {
  readonly provider: string
  readonly model: string
}

export interface RouteRules {
  readonly isProvider: (name: string) => boolean
  /** The configured model, whose provider also gets the names that have none. */
  readonly configured: string | undefined
  /** Where the price table would send a model, by one of our providers' names. */
  readonly servedBy: (model: string) => string | undefined
}

export const offlineProvider = "offline"

/** Nothing where no provider is known for the name. */
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
