// Models of the real provider packages, connected to a provider server on loopback.
import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider"
import { onTestFinished } from "vitest"
import type { Config } from "../../src/contract/config.ts"
import type { ModelChoice } from "../../src/models/model-source.ts"
import { createModelSource } from "../../src/models/registry.ts"
import { streamWithRetries, type RetryOptions } from "../../src/models/retry.ts"
import type { FinishPart } from "../../src/models/usage.ts"
import type { Reply } from "./script.ts"
import { startProviderServer, type ProviderServer } from "./server.ts"

type Settings = NonNullable<Config["providers"]>[string]
export interface Format {
  readonly name: string
  readonly settings: Omit<Settings, "baseURL">
  readonly model: string
  readonly base?: string
}

export const key = "k-planted-0123456789"
export const anthropic: Format = {
  name: "anthropic",
  settings: { type: "anthropic", apiKey: key },
  model: "claude-sonnet-5",
}
export const openai: Format = { name: "openai", settings: { type: "openai", apiKey: key }, model: "gpt-6-sol" }
export const local: Format = { name: "local", settings: { type: "openai-compatible", apiKey: key }, model: "any" }
export const google: Format = {
  name: "google",
  settings: { type: "google", apiKey: key },
  model: "gemini-3.8-flash",
  base: "/v1beta",
}
export const bedrock: Format = {
  name: "amazon-bedrock",
  settings: { type: "amazon-bedrock", apiKey: key, region: "us-east-1" },
  model: "global.anthropic.claude-sonnet-5",
  base: "",
}

/** A server that closes with the test. */
export async function startServer(...replies: readonly Reply[]): Promise<ProviderServer> {
  const server = await startProviderServer({ replies })
  onTestFinished(() => server.close())
  return server
}

export interface Connected extends ModelChoice {
  readonly server: ProviderServer
}

/** A model of the format at a new server with these replies. */
export async function connect(format: Format, ...replies: readonly Reply[]): Promise<Connected> {
  const server = await startServer(...replies)
  const baseURL = `${server.url}${format.base ?? "/v1"}`
  const config = { providers: { [format.name]: { ...format.settings, baseURL } } }
  const choice = await createModelSource({ config, env: {} }).resolve(`${format.name}/${format.model}`)
  return { ...choice, server }
}

export const question: LanguageModelV4CallOptions = {
  prompt: [
    { role: "system", content: "Be brief." },
    { role: "user", content: [{ type: "text", text: "What is in the folder?" }] },
  ],
  tools: [
    { type: "function", name: "read", description: "Reads.", inputSchema: { type: "object" } },
    { type: "function", name: "ls", description: "Lists.", inputSchema: { type: "object" } },
  ],
  maxOutputTokens: 1000,
}

export interface AskResult {
  readonly parts: LanguageModelV4StreamPart[]
  readonly fault: unknown
  readonly slept: number[]
  readonly server: ProviderServer
}

/** Everything that arrived, also of an answer that failed in the middle. */
export async function ask({ model, server }: Connected, options: Partial<RetryOptions> = {}): Promise<AskResult> {
  const parts: LanguageModelV4StreamPart[] = []
  const slept: number[] = []
  const signal = new AbortController().signal
  const settings = { signal, random: () => 1, sleep: async (ms: number) => slept.push(ms), ...options }
  try {
    const start = (abortSignal: AbortSignal) => model.doStream({ ...question, abortSignal })
    for await (const part of await streamWithRetries(start, settings)) parts.push(part)
    return { parts, fault: undefined, slept, server }
  } catch (fault) {
    return { parts, fault, slept, server }
  }
}

export function textOf({ parts }: AskResult): string {
  return parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("")
}

export function callsOf({ parts }: AskResult) {
  return parts.flatMap((part) => (part.type === "tool-call" ? [{ tool: part.toolName, input: part.input }] : []))
}

export function finishOf({ parts }: AskResult): FinishPart | undefined {
  return parts.find((part) => part.type === "finish")
}

export const hello: Reply = { blocks: [{ text: "Hello from the other side." }] }
