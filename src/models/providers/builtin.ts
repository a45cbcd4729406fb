// The providers that have a name without configuration, in the order in which a key makes one the default, and the
// local servers that are looked for when there is no key at all.
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
}

/** What each kind of provider is by itself. */
export const vendors: Readonly<Record<ProviderType, Vendor>> = {
  anthropic: {
    baseURL: "https://api.anthropic.com/v1",
    keys: ["ANTHROPIC_API_KEY"],
    priceTable: "anthropic",
    defaultModel: "claude-sonnet-5",
  },
  openai: {
    baseURL: "https://api.openai.com/v1",
    keys: ["OPENAI_API_KEY"],
    priceTable: "openai",
    defaultModel: "gpt-6-sol",
  },
  google: {
    baseURL: "https://generativelanguage.googleapis.com/v1beta",
    keys: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY"],
    priceTable: "google",
    defaultModel: "gemini-3.8-flash",
  },
  "amazon-bedrock": {
    keys: ["AWS_BEARER_TOKEN_BEDROCK"],
    priceTable: "aws",
    defaultModel: "global.anthropic.claude-sonnet-5",
  },
  "openai-compatible": { keys: [] },
}

export interface Vendor {
  readonly baseURL?: string
  /** Environment variables that hold a key, the first one first. */
  readonly keys: readonly string[]
  /** Its name in the price table. */
  readonly priceTable?: string
  /** Must stand in the price table: without a price no budget could hold. */
  readonly defaultModel?: string
}
