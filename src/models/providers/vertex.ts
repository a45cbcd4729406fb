// Models on Vertex AI: Gemini and Claude. The packages of Google and Anthropic speak to it; addresses, the way to prove
// who asks, and a part of Claude's body differ.
import { isObject, parseJson } from "../../contract/json-object.ts"
import { Cached } from "../credentials/cached.ts"
import { googleToken, readGoogleFile } from "../credentials/google-token.ts"
import { replacedKey, withLateKey, type KeyHeader, type LateKey } from "../credentials/late-key.ts"
import { ModelUnavailable } from "../model-source.ts"
import { isClaude } from "../thinking/families.ts"
import type { Connection, ProviderClient } from "./connection.ts"
import type { Fetch, MakeModel, Provider } from "./provider.ts"
import { anthropic as messages } from "../streams/formats/anthropic.ts"
import { ownReader } from "../streams/own-reader.ts"
import { withDefaults } from "./wrapped-model.ts"

const CLAUDE_VERSION = "vertex-2023-10-16"

const bearer: KeyHeader = (key) => ["authorization", `Bearer ${key}`]

export async function connectVertex(connection: Connection): Promise<ProviderClient> {
  const { provider, fetch = globalThis.fetch } = connection
  const { baseURL = "", credentials } = provider
  if (credentials.kind === "key") {
    const gemini = await geminiModels(`${baseURL}/v1/publishers/google`, credentials.value, fetch, provider.headers)
    return { languageModel: (id) => (isClaude(id) ? refuseClaude(provider) : gemini(id)) }
  }
  const file = credentials.kind === "google" ? await readGoogleFile(credentials) : undefined
  const project = provider.place?.project ?? file?.project
  if (project === undefined) throw new ModelUnavailable(noProject(provider.name))
  const place = `projects/${encodeURIComponent(project)}/locations/${provider.place?.location ?? "global"}`
  const send = withLateKey(fetch, tokenOf(connection), bearer)
  const headers = { ...(file?.quotaProject && { "x-goog-user-project": file.quotaProject }), ...provider.headers }
  const gemini = await geminiModels(`${baseURL}/v1beta1/${place}/publishers/google`, replacedKey, send, headers)
  const claude = await claudeModels(`${baseURL}/v1/${place}/publishers/anthropic/models`, send, headers)
  return { languageModel: (id) => (isClaude(id) ? claude(id) : gemini(id)) }
}

async function geminiModels(
  baseURL: string,
  apiKey: string,
  fetch: Fetch,
  headers: Provider["headers"],
): Promise<MakeModel> {
  const { createGoogle } = await import("@ai-sdk/google")
  // By this name the package knows where the two APIs of Google differ.
  const google = createGoogle({ name: "google.vertex.chat", baseURL, apiKey, fetch, headers: { ...headers } })
  return (id) => google.languageModel(id)
}

async function claudeModels(address: string, fetch: Fetch, headers: Provider["headers"]): Promise<MakeModel> {
  const { createAnthropic } = await import("@ai-sdk/anthropic")
  const { settings, read } = ownReader({
    baseURL: address,
    apiKey: replacedKey,
    fetch: withVertexBody(fetch, address),
    headers: { ...headers },
  })
  const anthropic = createAnthropic(settings)
  return (id) => withDefaults(read(anthropic.languageModel(id), messages), "anthropic", { includePings: true })
}

/** The model is in the address, and the version of the format in the body. */
function withVertexBody(fetch: Fetch, address: string): Fetch {
  return (_input, init) => {
    const body = typeof init?.body === "string" ? parseJson(init.body) : undefined
    const { model, ...rest } = isObject(body) ? body : {}
    if (typeof model !== "string") throw new TypeError("a request to Claude names no model")
    const method = rest["stream"] === true ? "streamRawPredict" : "rawPredict"
    const url = `${address}/${encodeURIComponent(model).replace("%40", "@")}:${method}`
    return fetch(url, { ...init, body: JSON.stringify({ anthropic_version: CLAUDE_VERSION, ...rest }) })
  }
}

function tokenOf({ provider, fetch = globalThis.fetch, key, onSecret }: Connection): LateKey {
  const { credentials } = provider
  if (key !== undefined) return key
  if (credentials.kind === "google") return new Cached(() => googleToken(credentials, fetch, onSecret))
  throw new ModelUnavailable(`Provider ${provider.name} has no credentials.`)
}

function refuseClaude({ name, credentials }: Provider): never {
  const source = credentials.kind === "none" ? "a key" : credentials.source
  throw new ModelUnavailable(
    `Provider ${name} serves Claude only with credentials of a project, not with a key (${source}). Use 'gcloud auth application-default login' or GOOGLE_APPLICATION_CREDENTIALS.`,
  )
}

function noProject(name: string): string {
  return `Provider ${name} has no project: set GOOGLE_CLOUD_PROJECT, or providers.${name}.project in the configuration.`
}
