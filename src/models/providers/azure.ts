// Azure OpenAI: the address of a resource, and models of its deployments. The packages of OpenAI speak to it; addresses
// and headers differ.
import { Cached } from "../credentials/cached.ts"
import { replacedKey, withLateKey, type KeyHeader } from "../credentials/late-key.ts"
import type { Fetch } from "./provider.ts"
import type { Connection, ProviderClient } from "./connection.ts"
import { openaiChat } from "../streams/formats/openai-chat.ts"
import { responses } from "../streams/formats/responses.ts"
import { ownReader } from "../streams/own-reader.ts"
import { withDefaults } from "./wrapped-model.ts"

const azureHost = /\.(?:openai|services\.ai|cognitiveservices)\.azure\.(?:com|us|cn)$/

/** Undefined if the name cannot be a part of a host name. */
export function resourceAddress(resourceName: string): string | undefined {
  return /^[a-z0-9][a-z0-9-]*$/i.test(resourceName) ? `https://${resourceName}.openai.azure.com/openai/v1` : undefined
}

export function isAzureAddress(address: string): boolean {
  return URL.canParse(address) && azureHost.test(new URL(address).hostname)
}

/** The portal shows addresses without a path. */
export function withAzurePath(address: string): string {
  if (!isAzureAddress(address)) return address
  const { origin, pathname } = new URL(address)
  return /^\/(?:openai\/?)?$/.test(pathname) ? `${origin}/openai/v1` : address
}

/** A dated version belongs to the older addresses, which name the deployment. `preview` is one of the newer ones. */
function isDated(apiVersion: string | undefined): boolean {
  return apiVersion !== undefined && /^\d/.test(apiVersion)
}

/** Tokens of Entra are JSON Web Tokens; keys are not. */
export const azureKeyHeader: KeyHeader = (key) =>
  /^eyJ[\w-]*\.[\w-]+\.[\w-]+$/.test(key) ? ["authorization", `Bearer ${key}`] : ["api-key", key]

/** Models of other vendors have only chat completions. A deployment whose name says nothing is one of OpenAI's. */
const otherVendors = /deepseek|llama|mistral|ministral|codestral|grok|kimi|phi-|cohere|command|qwen|gpt-oss|jamba/i

export async function connectAzure({ provider, fetch, key }: Connection): Promise<ProviderClient> {
  const { createOpenAI } = await import("@ai-sdk/openai")
  const { baseURL = "", apiVersion, credentials, headers, vendorAddress } = provider
  const keys = key ?? new Cached(async () => ({ value: credentials.kind === "key" ? credentials.value : "" }))
  const { settings, read } = ownReader({
    name: "azure",
    apiKey: replacedKey,
    fetch: withLateKey(withApiVersion(fetch ?? globalThis.fetch, apiVersion), keys, azureKeyHeader),
    headers: { ...headers },
  })
  const at = (address: string) => createOpenAI({ ...settings, baseURL: address })
  if (isDated(apiVersion)) {
    const classic = (id: string) => at(`${baseURL.replace(/\/v1$/, "")}/deployments/${encodeURIComponent(id)}`)
    return {
      languageModel: (id) => read(classic(id).chat(id), openaiChat),
      embeddingModel: (id) => classic(id).embeddingModel(id),
    }
  }
  const azure = at(baseURL)
  return {
    languageModel: (id) =>
      vendorAddress && !otherVendors.test(id)
        ? withDefaults(read(azure.responses(id), responses), "azure", { store: false })
        : read(azure.chat(id), openaiChat),
    embeddingModel: (id) => azure.embeddingModel(id),
  }
}

function withApiVersion(fetch: Fetch, apiVersion: string | undefined): Fetch {
  if (apiVersion === undefined) return fetch
  return (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    url.searchParams.set("api-version", apiVersion)
    return fetch(url, init)
  }
}
