import type { LanguageModelV4Prompt } from "@ai-sdk/provider"
import { describe, expect, it } from "vitest"
import { ask, hello, key, startServer, textOf } from "../../../spec/provider-server/connect.ts"
import { withResultImages } from "../../runner/prompt/result-images.ts"
import { createModelSource } from "../registry.ts"
import type { Environment, Fetch, ProviderSettings } from "./provider.ts"
import { findProvider } from "./settings.ts"

const env = { AZURE_API_KEY: key, AZURE_RESOURCE_NAME: "corp" }

function azure(settings: Partial<ProviderSettings>, environment: Environment = {}, name = "azure") {
  const configured = { [name]: { type: "azure" as const, ...settings } }
  return findProvider(name, { configured, env: environment, localServers: [] })
}

/** Requests go to a server on loopback under the path that they would have at Azure. */
async function asked(deployment: string, settings: Partial<ProviderSettings> = {}, environment: Environment = env) {
  const server = await startServer(hello)
  const urls: string[] = []
  const fetch: Fetch = (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    urls.push(url.href)
    return globalThis.fetch(`${server.url}${url.pathname}`, init)
  }
  const config = { providers: { azure: { type: "azure" as const, ...settings } } }
  const choice = await createModelSource({ config, env: environment, fetch }).resolve(`azure/${deployment}`)
  const heard = await ask({ ...choice, server })
  expect(textOf(heard)).toBe("Hello from the other side.")
  return { url: urls[0], request: await server.arrived(1), choice }
}

describe("the address of Azure", () => {
  const address = "https://corp.openai.azure.com/openai/v1"
  it.each([
    [{ resourceName: "corp" }, {}],
    [{ baseURL: "https://corp.openai.azure.com/" }, {}],
    [{ baseURL: "https://corp.openai.azure.com/openai" }, {}],
    [{}, { AZURE_RESOURCE_NAME: "corp" }],
    [{}, { AZURE_OPENAI_ENDPOINT: "https://corp.openai.azure.com/" }],
    [{}, { AZURE_BASE_URL: "https://corp.openai.azure.com/openai/v1/" }],
  ])("is found: %j %j", (settings, variables) => {
    expect(azure(settings, variables)).toMatchObject({ baseURL: address, vendorAddress: true })
  })

  it("of a gateway is used unchanged", () => {
    expect(azure({ baseURL: "https://gate.example/azure" })).toMatchObject({
      baseURL: "https://gate.example/azure",
      vendorAddress: false,
    })
  })

  it("is not made of a name with other characters", () => {
    for (const resourceName of ["evil.example/x", "a b", "-a", ""])
      expect(azure({ resourceName })?.problem).toBe(
        "Provider azure has no address: set AZURE_RESOURCE_NAME to the name of the resource, or providers.azure.resourceName in the configuration.",
      )
  })
})

describe("the key of Azure", () => {
  it.each(["AZURE_API_KEY", "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN"])("is found in %s", (name) => {
    expect(azure({ resourceName: "corp" }, { [name]: "k" })).toMatchObject({
      credentials: { kind: "key", value: "k", source: name },
      problem: undefined,
    })
  })

  it("belongs to one resource: a second provider needs its own", () => {
    const second = azure({ resourceName: "other" }, { AZURE_API_KEY: "k" }, "azure-eu")
    expect(second?.problem).toContain("Provider azure-eu has no key: set AZURE_EU_API_KEY,")
    const own = azure({}, { AZURE_EU_API_KEY: "e", AZURE_EU_RESOURCE_NAME: "eu" }, "azure-eu")
    expect(own).toMatchObject({ credentials: { value: "e" }, baseURL: "https://eu.openai.azure.com/openai/v1" })
  })

  it("that is missing is named", () => {
    expect(azure({ resourceName: "corp" })?.problem).toBe(
      "Provider azure has no key: set AZURE_API_KEY, run 'turnhouse login azure', or set providers.azure.apiKey in the configuration.",
    )
  })
})

describe("a request to Azure", () => {
  it("goes to the Responses API of v1, with the deployment as model and the key in its own header", async () => {
    const { url, request, choice } = await asked("gpt-6-sol")
    expect(url).toBe("https://corp.openai.azure.com/openai/v1/responses")
    expect(request.headers["api-key"]).toBe(key)
    expect(request.headers["authorization"]).toBeUndefined()
    expect(request.body).toMatchObject({
      model: "gpt-6-sol",
      store: false,
      include: ["reasoning.encrypted_content"],
      stream: true,
    })
    expect(choice.model.provider).toBe("azure.responses")
    expect(choice.contextWindow).toBeGreaterThan(200_000)
    expect(choice.costUsd({ ...noUsage, input: 1_000_000 })).toBeGreaterThan(0)
  })

  it("has a token of Entra as a bearer token, also one that a command prints", async () => {
    const token = "eyJhbGciOiJub25lIn0.eyJhdWQiOiJhenVyZSJ9.c2ln"
    const named = await asked("gpt-6-sol", {}, { AZURE_RESOURCE_NAME: "corp", AZURE_OPENAI_AD_TOKEN: token })
    expect(named.request.headers["authorization"]).toBe(`Bearer ${token}`)
    const printed = await asked("gpt-6-sol", { apiKey: { command: ["echo", token] } })
    expect(printed.request.headers["authorization"]).toBe(`Bearer ${token}`)
    expect(printed.request.headers["api-key"]).toBeUndefined()
  })

  it("goes to chat completions for models of other vendors, and at a gateway", async () => {
    const other = await asked("DeepSeek-V4-Pro")
    expect(other.url).toBe("https://corp.openai.azure.com/openai/v1/chat/completions")
    const gateway = await asked("gpt-6-sol", { baseURL: "https://gate.example/azure" })
    expect(gateway.url).toBe("https://gate.example/azure/chat/completions")
  })

  it("with a dated version names the deployment in the address", async () => {
    const { url, request } = await asked("my gpt", { apiVersion: "2024-10-21" })
    expect(url).toBe(
      "https://corp.openai.azure.com/openai/deployments/my%20gpt/chat/completions?api-version=2024-10-21",
    )
    expect(request.headers["api-key"]).toBe(key)
    const preview = await asked("gpt-6-sol", {}, { ...env, AZURE_API_VERSION: "preview" })
    expect(preview.url).toBe("https://corp.openai.azure.com/openai/v1/responses?api-version=preview")
  })

  it("has the thinking level, whatever the deployment is called", async () => {
    for (const [deployment, effort] of [
      ["gpt-6-sol", "max"],
      ["production", "high"],
    ] as const) {
      const { choice } = await asked(deployment)
      const sent = await optionsSent(deployment, choice.thinking?.("max", 1000).options ?? {})
      expect(sent["reasoning"]).toMatchObject({ effort })
    }
  })

  it("has the images of tool results", async () => {
    const { choice } = await asked("gpt-6-sol")
    const data = { type: "data", data: "iVBORw0KGgo=" } as const
    const value = [{ type: "file" as const, mediaType: "image/png", data }]
    const result = { type: "tool-result" as const, toolCallId: "c", toolName: "read" }
    const prompt: LanguageModelV4Prompt = [
      { role: "tool", content: [{ ...result, output: { type: "content", value } }] },
    ]
    expect(withResultImages(prompt, choice.model)).toEqual(prompt)
  })
})

it("Azure is listed with its key, and is not the default by itself", async () => {
  const source = createModelSource({ config: {}, env, localServers: [] })
  expect((await source.list()).find(({ provider, id }) => provider === "azure" && id === "gpt-4o")).toMatchObject({
    contextWindow: 128_000,
  })
  expect(await source.defaultModel()).toBe("offline/demo")
})

it("a deployment that does not exist is named as such", async () => {
  const server = await startServer({ status: 404 })
  const config = { providers: { azure: { type: "azure", baseURL: `${server.url}/openai/v1`, apiKey: key } } } as const
  const choice = await createModelSource({ config, env: {} }).resolve("azure/nothing-like-it")
  const { fault } = await ask({ ...choice, server })
  expect(String(fault)).toContain("(404): it must be the name of a deployment of the resource.")
})

const noUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, reasoning: 0 }

/** The body of a request with these options. */
async function optionsSent(deployment: string, options: object): Promise<Readonly<Record<string, unknown>>> {
  const server = await startServer(hello)
  const fetch: Fetch = (_input, init) => globalThis.fetch(`${server.url}/v1/responses`, init)
  const { model } = await createModelSource({ config: {}, env, fetch }).resolve(`azure/${deployment}`)
  const { stream } = await model.doStream({ prompt: [], ...options })
  await stream.cancel()
  return (await server.arrived(1)).body
}
