// What the messages about unknown models say.
import { nearestKey } from "../contract/text/nearest-key.ts"
import type { KnownModels } from "./model-facts.ts"
import { isGatewayPrefix } from "./providers/hosted.ts"
import type { Provider } from "./providers/provider.ts"

/** A model with almost this name, where the name itself is in no list. */
export function misspelt(model: string, provider: Provider, known: KnownModels): string | undefined {
  if (!provider.vendorAddress || provider.type === "azure" || known.find(provider, model) !== undefined)
    return undefined
  const ids = known.listed(provider).map(({ id }) => id)
  const nearest = nearestKey(model, ids)
  return nearest?.close === true ? `${provider.name}/${nearest.key}` : undefined
}

/** In the message for an unknown provider, also without a key. */
export function isAlwaysNamed({ name, hosted }: Provider): boolean {
  return hosted === undefined && !isGatewayPrefix(name)
}

export function unknownSentence(name: string, provider: string | undefined, names: string): string {
  if (provider === undefined)
    return `model "${name}": no provider is known for it. Write it as PROVIDER/${name} with one of: ${names}; or set "model" in config.json.`
  return `model "${name}": no provider named "${provider}". Add it under "providers" in config.json, or choose one of: ${names}.`
}
