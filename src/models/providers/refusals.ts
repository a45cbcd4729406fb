// Messages for refused calls that name what to fix: the variable or configuration key of a refused key, or the unknown
// model. The provider's own message about a key is not repeated.
import { nearestKey } from "../../contract/text/nearest-key.ts"
import { ModelUnavailable } from "../model-source.ts"
import { readProviderError } from "../provider-error.ts"
import type { Provider } from "./provider.ts"

/** `known`: names of the provider's models, one of which may be meant. */
export function explainRefusal(
  provider: Provider,
  modelId: string,
  known: () => readonly string[] = () => [],
): (fault: unknown) => unknown {
  return (fault) => {
    const sentence = refusalSentence(provider, modelId, fault, known)
    return sentence === undefined ? fault : new ModelUnavailable(sentence)
  }
}

function refusalSentence(
  provider: Provider,
  modelId: string,
  fault: unknown,
  known: () => readonly string[],
): string | undefined {
  const error = readProviderError(fault)
  const badKey = error.status === 401 || (error.status === 400 && error.body.includes("API_KEY_INVALID"))
  if (badKey) return `Provider ${provider.name} refused the key (${error.status}): ${keyAdvice(provider)}`
  if (error.status === 403) {
    return `Provider ${provider.name} does not allow model ${modelId} (403): ${keyAdvice(provider)}`
  }
  if (error.status !== 404) return undefined
  const where = `Provider ${provider.name} has no model ${modelId} at ${error.host ?? "its address"} (404)`
  const nearest = nearestKey(modelId, known())
  if (nearest?.close === true && nearest.key !== modelId)
    return `${where}: did you mean ${provider.name}/${nearest.key}?`
  if (provider.type === "azure") return `${where}: it must be the name of a deployment of the resource.`
  if (provider.type === "vertex")
    return `${where}: check the name, and whether location ${provider.place?.location} has it.`
  if (provider.vendorAddress) return `${where}: check the name with 'turnhouse models'.`
  return `${where}: check the name, and the address (for most servers it ends in /v1).`
}

function keyAdvice({ name, credentials }: Provider): string {
  if (credentials.kind === "none") return `it needs one; set providers.${name}.apiKey in the configuration.`
  return `check ${credentials.source}.`
}
