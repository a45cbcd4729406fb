// The built-in providers, in the order in which a key makes one the default, and the local servers that are tried
// without any key.
import type { ProviderType } from "./provider.ts"

export interface Builtin {
  readonly type: ProviderType
  readonly baseURL?: string
}

export interface LocalServer {
  readonly name: string
  readonly baseURL: string
}

export const localServers: readonly LocalServer[] = [
  { name: "ollama", baseURL: "http://127.0.0.1:11434/v1" },
  { name: "lmstudio", baseURL: "http://127.0.0.1:1234/v1" },
  { name: "vllm", baseURL: "http://127.0.0.1:8000/v1" },
]

export const builtinProviders: Readonly<Record<string, Builtin>> = {
  anthropic: { type: "anthropic" },
  openai: { type: "openai" },
  google: { type: "google" },
  "amazon-bedrock": { type: "amazon-bedrock" },
  "openai-compatible": { type: "openai-compatible" },
  azure: { type: "azure" },
  vertex: { type: "vertex" },
}

/** Defaults of each kind of provider. */
export const vendors: Readonly<Record<ProviderType, Vendor>> = {
  anthropic: {
    baseURL: "https://api.anthropic.com/v1",
    keys: ["ANTHROPIC_API_KEY"],
    priceTable: "anthropic",
    defaultModel: "claude-sonnet-5",
    contextWindow: 200_000,
  },
  openai: {
    baseURL: "https://api.openai.com/v1",
    keys: ["OPENAI_API_KEY"],
    priceTable: "openai",
    defaultModel: "gpt-6-sol",
    contextWindow: 128_000,
  },
  google: {
    baseURL: "https://generativelanguage.googleapis.com/v1beta",
    keys: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY"],
    priceTable: "google",
    defaultModel: "gemini-3.8-flash",
    contextWindow: 1_000_000,
  },
  "amazon-bedrock": {
    keys: ["AWS_BEARER_TOKEN_BEDROCK"],
    priceTable: "aws",
    defaultModel: "global.anthropic.claude-sonnet-5",
    contextWindow: 128_000,
  },
  "openai-compatible": { keys: [], contextWindow: 32_768 },
  // Neither has a default model: deployments have names of their own, and Google's credentials usually serve other purposes.
  azure: {
    keys: ["AZURE_API_KEY", "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN"],
    priceTable: "azure",
    contextWindow: 128_000,
  },
  vertex: {
    keys: ["GOOGLE_VERTEX_API_KEY", "GOOGLE_CLOUD_API_KEY"],
    priceTable: "google",
    catalogues: ["google-vertex", "google-vertex-anthropic"],
    contextWindow: 200_000,
  },
}

export interface Vendor {
  readonly baseURL?: string
  /** Environment variables with a key, in order of precedence. */
  readonly keys: readonly string[]
  /** Its name in the price table. */
  readonly priceTable?: string
  /** Its names in catalogues; by default that of its type. */
  readonly catalogues?: readonly string[]
  /** Must be in the price table: a budget needs a price. */
  readonly defaultModel?: string
  /** Tokens, for models that the price table does not have. */
  readonly contextWindow: number
}
