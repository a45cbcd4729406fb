import { hostedProviders } from "./hosted.ts"
import { describe, expect, it } from "vitest"
import type { Environment, ProviderSettings } from "./provider.ts"
import { findProvider, keyVariablesOf, providerNames } from "./settings.ts"

function provider(name: string, env: Environment, configured: Record<string, ProviderSettings> = {}) {
  return findProvider(name, { configured, env, localServers: [{ name: "ollama", baseURL: "http://127.0.0.1:1/v1" }] })
}

describe("a provider's key", () => {
  it.each([
    ["anthropic", "ANTHROPIC_API_KEY"],
    ["openai", "OPENAI_API_KEY"],
    ["google", "GOOGLE_GENERATIVE_AI_API_KEY"],
    ["google", "GEMINI_API_KEY"],
  ])("of %s is found in %s", (name, variable) => {
    const found = provider(name, { [variable]: "k-123" })
    expect(found?.credentials).toEqual({ kind: "key", value: "k-123", source: variable })
    expect(found?.problem).toBeUndefined()
  })

  it("in the configuration wins over the environment", () => {
    const configured = { anthropic: { type: "anthropic", apiKey: "own" } } as const
    expect(provider("anthropic", { ANTHROPIC_API_KEY: "other" }, configured)?.credentials).toEqual({
      kind: "key",
      value: "own",
      source: "providers.anthropic.apiKey in the configuration",
    })
  })

  it("is read from the variable with the provider's name", () => {
    const configured = { "my-gateway": { type: "openai-compatible", baseURL: "https://gate.example/v1" } } as const
    expect(provider("my-gateway", { MY_GATEWAY_API_KEY: "g" }, configured)?.credentials).toMatchObject({ value: "g" })
  })

  it("of a vendor is not sent to another address", () => {
    const configured = { relay: { type: "anthropic", baseURL: "https://relay.example/v1" } } as const
    const relay = provider("relay", { ANTHROPIC_API_KEY: "secret" }, configured)
    expect(relay?.credentials).toEqual({ kind: "none" })
    expect(relay?.problem).toBe(
      "Provider relay has no key: set RELAY_API_KEY, run 'turnhouse login relay', or set providers.relay.apiKey in the configuration.",
    )
  })

  it("of a vendor is used by a second provider at the vendor's own address", () => {
    const configured = { work: { type: "anthropic", headers: { "x-team": "a" } } } as const
    expect(provider("work", { ANTHROPIC_API_KEY: "k" }, configured)?.credentials).toMatchObject({ value: "k" })
  })

  it("that is missing or empty is named", () => {
    expect(provider("anthropic", { ANTHROPIC_API_KEY: " " })?.problem).toBe(
      "Provider anthropic has no key: set ANTHROPIC_API_KEY, run 'turnhouse login anthropic', or set providers.anthropic.apiKey in the configuration.",
    )
  })

  it("is not needed for an OpenAI-compatible server", () => {
    expect(provider("ollama", {})).toMatchObject({ credentials: { kind: "none" }, problem: undefined })
  })
})

describe("Bedrock", () => {
  const keys = { AWS_ACCESS_KEY_ID: "AKIA", AWS_SECRET_ACCESS_KEY: "s", AWS_SESSION_TOKEN: "t" }

  it("accepts a bearer token", () => {
    const found = provider("amazon-bedrock", { AWS_BEARER_TOKEN_BEDROCK: "b", AWS_REGION: "eu-west-1" })
    expect(found).toMatchObject({ credentials: { kind: "key", value: "b" }, region: "eu-west-1", problem: undefined })
  })

  it("accepts access keys", () => {
    const found = provider("amazon-bedrock", { ...keys, AWS_DEFAULT_REGION: "us-east-1" })
    expect(found).toMatchObject({ credentials: { kind: "aws", sessionToken: "t" }, region: "us-east-1" })
  })

  it("reports a missing region", () => {
    expect(provider("amazon-bedrock", keys)?.problem).toBe(
      "Provider amazon-bedrock has no region: set AWS_REGION, or providers.amazon-bedrock.region in the configuration.",
    )
  })

  it("reports the missing keys", () => {
    expect(provider("amazon-bedrock", { AWS_REGION: "us-east-1", AWS_ACCESS_KEY_ID: "AKIA" })?.problem).toBe(
      "Provider amazon-bedrock has no key: set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, run 'turnhouse login amazon-bedrock', or set providers.amazon-bedrock.apiKey in the configuration.",
    )
  })
})

describe("what the machine has for all programs", () => {
  const logins = { "amazon-bedrock": { kind: "key", value: "stored-0123", savedAt: "" } } as const
  const machine = { AWS_EC2_METADATA_SERVICE_ENDPOINT: "http://127.0.0.1:1", AWS_REGION: "eu-west-1" }
  const bedrock = (env: Environment, stored = {}) =>
    findProvider("amazon-bedrock", { configured: {}, env, localServers: [], logins: stored })?.credentials

  it("counts after a stored login, and what a variable names before it", () => {
    expect(bedrock(machine)).toMatchObject({ kind: "aws-source", from: { kind: "instance" } })
    expect(bedrock(machine, logins)).toMatchObject({ kind: "key", value: "stored-0123" })
    expect(bedrock({ ...machine, AWS_PROFILE: "work" }, logins)).toMatchObject({ from: { kind: "profile" } })
  })
})

describe("a provider's address", () => {
  it("is the vendor's own by default", () => {
    expect(provider("openai", {})).toMatchObject({ baseURL: "https://api.openai.com/v1", vendorAddress: true })
  })

  it("in the configuration is used unchanged", () => {
    const configured = { openai: { type: "openai", baseURL: "http://127.0.0.1:9000/" } } as const
    expect(provider("openai", {}, configured)).toMatchObject({ baseURL: "http://127.0.0.1:9000", vendorAddress: false })
  })

  it.each(["http://127.0.0.1:4000", "http://127.0.0.1:4000/", "http://127.0.0.1:4000/v1"])(
    "in a variable may leave out the version: %s",
    (address) => {
      expect(provider("anthropic", { ANTHROPIC_BASE_URL: address })?.baseURL).toBe("http://127.0.0.1:4000/v1")
    },
  )

  it("is required for an OpenAI-compatible server", () => {
    expect(provider("openai-compatible", {})?.problem).toBe(
      "Provider openai-compatible has no address: set providers.openai-compatible.baseURL in the configuration, or OPENAI_COMPATIBLE_BASE_URL.",
    )
    const env = { OPENAI_COMPATIBLE_BASE_URL: "http://127.0.0.1:5/api" }
    expect(provider("openai-compatible", env)).toMatchObject({ baseURL: "http://127.0.0.1:5/api", problem: undefined })
  })
})

it("an unknown name is no provider", () => {
  expect(["nobody", "toString", "__proto__", "constructor", ""].map((name) => provider(name, {}))).toEqual(
    Array.from({ length: 5 }),
  )
})

it("provider names are unique, built-in providers first", () => {
  const configured = { anthropic: { type: "anthropic" }, mine: { type: "openai-compatible" } } as const
  const sources = { configured, env: {}, localServers: [{ name: "ollama", baseURL: "http://127.0.0.1:1/v1" }] }
  expect(providerNames(sources)).toEqual([
    "anthropic",
    "openai",
    "google",
    "amazon-bedrock",
    "openai-compatible",
    "azure",
    "vertex",
    ...Object.keys(hostedProviders),
    "mine",
    "ollama",
  ])
})

it("lists every variable that may hold a key", () => {
  const variables = keyVariablesOf({ "my-gateway": { type: "openai-compatible" } })
  expect(variables).toEqual(
    expect.arrayContaining(["ANTHROPIC_API_KEY", "AWS_SECRET_ACCESS_KEY", "MY_GATEWAY_API_KEY"]),
  )
})
