// Models of each type of provider. The packages are loaded on first use: each takes 60 to 100 ms to import.
import { awsRegion, readAwsKeys } from "../credentials/aws/read-keys.ts"
import { Cached } from "../credentials/cached.ts"
import { replacedKey, withLateKey, type KeyHeader } from "../credentials/late-key.ts"
import { connectAzure } from "./azure.ts"
import type { Connection, ProviderClient } from "./connection.ts"
import { bodyChange } from "./quirks.ts"
import type { AwsSource, MakeModel, Provider, ProviderType } from "./provider.ts"
import { anthropic as messages } from "../streams/formats/anthropic.ts"
import { compatibleChat } from "../streams/formats/compatible-chat.ts"
import { openaiChat } from "../streams/formats/openai-chat.ts"
import { responses } from "../streams/formats/responses.ts"
import { ownReader } from "../streams/own-reader.ts"
import { connectVertex } from "./vertex.ts"
import { withDefaults } from "./wrapped-model.ts"

export const adapters: Readonly<Record<ProviderType, (connection: Connection) => Promise<ProviderClient>>> = {
  anthropic: async (connection) => {
    const { createAnthropic } = await import("@ai-sdk/anthropic")
    const { settings, read } = ownReader(common(connection, anthropicKey))
    const anthropic = createAnthropic(settings)
    // Pings are the only sign of life while a model thinks without showing it.
    const languageModel: MakeModel = (id) =>
      withDefaults(read(anthropic.languageModel(id), messages), "anthropic", { includePings: true })
    return { languageModel }
  },
  openai: async (connection) => {
    const { createOpenAI } = await import("@ai-sdk/openai")
    const { settings, read } = ownReader(common(connection))
    const openai = createOpenAI(settings)
    // OpenAI's newer models accept tools only in the Responses API. With `store: false` the conversation is stored only
    // in our log, and reasoning comes back encrypted. Other servers have the chat completions API.
    const languageModel: MakeModel = connection.provider.vendorAddress
      ? (id) => withDefaults(read(openai.responses(id), responses), "openai", { store: false })
      : (id) => read(openai.chat(id), openaiChat)
    return { languageModel, embeddingModel: (id) => openai.embeddingModel(id) }
  },
  google: async (connection) => {
    const { createGoogle } = await import("@ai-sdk/google")
    const google = createGoogle(common(connection, googleKey))
    return { languageModel: (id) => google.languageModel(id), embeddingModel: (id) => google.embeddingModel(id) }
  },
  // Servers with OpenAI's chat completions API: Ollama, vLLM, LM Studio, gateways. A key is sent if there is one.
  "openai-compatible": async (connection) => {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible")
    const { name, baseURL = "", hosted } = connection.provider
    const transformRequestBody = bodyChange(hosted?.quirks)
    const { settings, read } = ownReader(common(connection))
    const server = createOpenAICompatible({
      ...settings,
      name,
      baseURL,
      includeUsage: hosted?.quirks?.streamOptions !== false,
      ...(transformRequestBody === undefined ? {} : { transformRequestBody }),
    })
    return {
      languageModel: (id) => read(server.chatModel(id), compatibleChat),
      embeddingModel: (id) => server.embeddingModel(id),
    }
  },
  "amazon-bedrock": async (connection) => {
    const { createAmazonBedrock } = await import("@ai-sdk/amazon-bedrock")
    const { credentials, region: given } = connection.provider
    const region = given ?? (credentials.kind === "aws-source" ? await awsRegion(credentials) : undefined)
    const bedrock = createAmazonBedrock({
      apiKey: "", // no bearer token from the process's environment; replaced by one that was found
      ...common(connection),
      ...(region === undefined ? {} : { region }),
      ...(credentials.kind === "aws" ? awsKeys(credentials) : {}),
      ...(credentials.kind === "aws-source" ? keyProvider(credentials, connection) : {}),
    })
    return { languageModel: (id) => bedrock.languageModel(id), embeddingModel: (id) => bedrock.embeddingModel(id) }
  },
  azure: connectAzure,
  vertex: connectVertex,
}

/** The options that all provider packages share. */
function common({ provider, fetch, key }: Connection, keyHeader = bearer) {
  const { baseURL, credentials, headers } = provider
  return {
    ...(baseURL === undefined ? {} : { baseURL }),
    ...(credentials.kind === "key" ? { apiKey: credentials.value } : {}),
    ...(headers === undefined ? {} : { headers: { ...headers } }),
    ...(fetch === undefined ? {} : { fetch }),
    ...(key === undefined
      ? {}
      : { apiKey: replacedKey, fetch: withLateKey(fetch ?? globalThis.fetch, key, keyHeader) }),
  }
}

const bearer: KeyHeader = (key) => ["authorization", `Bearer ${key}`]
const anthropicKey: KeyHeader = (key) => ["x-api-key", key]
const googleKey: KeyHeader = (key) => ["x-goog-api-key", key]

function awsKeys({ accessKeyId, secretAccessKey, sessionToken }: Extract<Provider["credentials"], { kind: "aws" }>) {
  return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) }
}

function keyProvider(source: AwsSource, { fetch = globalThis.fetch, onSecret = () => {} }: Connection) {
  const keys = new Cached(async () => {
    const reading = await readAwsKeys(source, fetch, onSecret)
    if (reading.value.sessionToken !== undefined) onSecret("AWS session token", reading.value.sessionToken)
    return reading
  })
  return { credentialProvider: () => keys.get() }
}
