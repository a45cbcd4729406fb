import { generateKeyPairSync } from "node:crypto"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { decodeProtectedHeader, jwtVerify } from "jose"
import { describe, expect, it, onTestFinished } from "vitest"
import {
  ask,
  finishOf,
  hello,
  question,
  startServer,
  textOf,
  type AskResult,
} from "../../../spec/provider-server/connect.ts"
import type { Reply } from "../../../spec/provider-server/script.ts"
import { withCachePoints } from "../prompt-cache.ts"
import { createModelSource } from "../registry.ts"
import { usageOf } from "../usage.ts"
import type { Environment, Fetch, ProviderSettings } from "./provider.ts"
import { findProvider } from "./settings.ts"

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString()

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "turnhouse-google-"))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

/** A file with these credentials. */
function credentials(fields: object): string {
  const file = join(folder(), "credentials.json")
  writeFileSync(file, JSON.stringify(fields))
  return file
}

interface TokenServer {
  readonly url: string
  readonly asked: { path: string; flavor: string | undefined; form: URLSearchParams }[]
}

/** Answers with `token-1`, `token-2` …, or with an error. */
async function tokenServer(error?: string): Promise<TokenServer> {
  const asked: TokenServer["asked"] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const form = new URLSearchParams(Buffer.concat(chunks).toString("utf8"))
      asked.push({ path: request.url ?? "", flavor: request.headers["metadata-flavor"]?.toString(), form })
      response.writeHead(error === undefined ? 200 : 400, { "content-type": "application/json" })
      response.end(
        JSON.stringify(error === undefined ? { access_token: `token-${asked.length}`, expires_in: 3600 } : { error }),
      )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => new Promise((resolve) => void server.close(() => resolve())))
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("no port")
  return { url: `http://127.0.0.1:${address.port}`, asked }
}

function account(tokens: TokenServer, more: object = {}) {
  return credentials({
    type: "service_account",
    project_id: "of-the-file",
    private_key_id: "key-7",
    private_key: pem,
    client_email: "robot@corp.iam.gserviceaccount.com",
    token_uri: `${tokens.url}/token`,
    ...more,
  })
}

interface Asked extends AskResult {
  readonly urls: readonly string[]
  readonly secrets: readonly string[]
}

/** Model requests go to a server on loopback under the path that they would have at Google. */
function vertex(env: Environment, settings: Partial<ProviderSettings> = {}) {
  const urls: string[] = []
  const secrets: string[] = []
  const open = async (model: string, ...replies: readonly Reply[]) => {
    const server = await startServer(...replies)
    const fetch: Fetch = (input, init) => {
      const url = new URL(input instanceof Request ? input.url : input)
      if (!url.hostname.endsWith("googleapis.com")) return globalThis.fetch(url, init)
      urls.push(url.href)
      return globalThis.fetch(`${server.url}${url.pathname}${url.search}`, init)
    }
    const config = { providers: { vertex: { type: "vertex" as const, ...settings } } }
    const onSecret = (_: string, value: string) => secrets.push(value)
    const choice = await createModelSource({ config, env, fetch, onSecret }).resolve(`vertex/${model}`)
    return { ...choice, server }
  }
  const answer = async (model: string, ...replies: readonly Reply[]): Promise<Asked> => {
    return { ...(await ask(await open(model, ...replies))), urls, secrets }
  }
  return { open, answer, urls, secrets }
}

describe("Gemini on Vertex", () => {
  it("is asked with the token of a service account, which signs for it", async () => {
    const tokens = await tokenServer()
    const env = { GOOGLE_APPLICATION_CREDENTIALS: account(tokens), GOOGLE_CLOUD_LOCATION: "europe-west1" }
    const heard = await vertex(env).answer("gemini-3.8-flash", hello)
    expect(textOf(heard)).toBe("Hello from the other side.")
    expect(heard.urls).toEqual([
      "https://europe-west1-aiplatform.googleapis.com/v1beta1/projects/of-the-file/locations/europe-west1/publishers/google/models/gemini-3.8-flash:streamGenerateContent?alt=sse",
    ])
    const { headers, body } = await heard.server.arrived(1)
    expect(headers["authorization"]).toBe("Bearer token-1")
    expect(headers["x-goog-api-key"]).toBeUndefined()
    expect(body["contents"]).toMatchObject([{ role: "user", parts: [{ text: "What is in the folder?" }] }])
    const form = tokens.asked[0]?.form
    expect(form?.get("grant_type")).toBe("urn:ietf:params:oauth:grant-type:jwt-bearer")
    const assertion = form?.get("assertion") ?? ""
    const { payload } = await jwtVerify(assertion, publicKey, { audience: `${tokens.url}/token` })
    expect(decodeProtectedHeader(assertion)).toMatchObject({ alg: "RS256", kid: "key-7" })
    expect(payload).toMatchObject({
      iss: "robot@corp.iam.gserviceaccount.com",
      scope: "https://www.googleapis.com/auth/cloud-platform",
    })
    expect(heard.secrets).toEqual([pem, "token-1"])
  })

  it("is asked with the credentials of gcloud, charged to their project", async () => {
    const tokens = await tokenServer()
    const home = folder()
    mkdirSync(join(home, ".config", "gcloud"), { recursive: true })
    const user = {
      type: "authorized_user",
      client_id: "id",
      client_secret: "client-secret-1",
      refresh_token: "refresh-1",
      quota_project_id: "charged",
      token_uri: `${tokens.url}/token`,
    }
    writeFileSync(join(home, ".config", "gcloud", "application_default_credentials.json"), JSON.stringify(user))
    const heard = await vertex({ HOME: home, GOOGLE_CLOUD_PROJECT: "mine" }).answer("gemini-3.8-flash", hello)
    expect(heard.urls[0]).toMatch(
      /^https:\/\/aiplatform\.googleapis\.com\/v1beta1\/projects\/mine\/locations\/global\//,
    )
    const { headers } = await heard.server.arrived(1)
    expect(headers).toMatchObject({ authorization: "Bearer token-1", "x-goog-user-project": "charged" })
    expect(Object.fromEntries(tokens.asked[0]?.form ?? [])).toEqual({
      grant_type: "refresh_token",
      client_id: "id",
      client_secret: "client-secret-1",
      refresh_token: "refresh-1",
    })
    expect(heard.secrets).toEqual(["client-secret-1", "refresh-1", "token-1"])
  })

  it("is asked with a token of the metadata server", async () => {
    const tokens = await tokenServer()
    const env = { HOME: folder(), GCE_METADATA_HOST: new URL(tokens.url).host, GOOGLE_CLOUD_PROJECT: "mine" }
    const heard = await vertex(env).answer("gemini-3.8-flash", hello)
    expect((await heard.server.arrived(1)).headers["authorization"]).toBe("Bearer token-1")
    expect(tokens.asked[0]).toMatchObject({
      path: "/computeMetadata/v1/instance/service-accounts/default/token",
      flavor: "Google",
    })
  })

  it("is asked with an API key of the express mode, without a project", async () => {
    const heard = await vertex({ HOME: folder(), GOOGLE_VERTEX_API_KEY: "AQ.key" }).answer("gemini-3.8-flash", hello)
    expect(heard.urls).toEqual([
      "https://aiplatform.googleapis.com/v1/publishers/google/models/gemini-3.8-flash:streamGenerateContent?alt=sse",
    ])
    expect((await heard.server.arrived(1)).headers["x-goog-api-key"]).toBe("AQ.key")
  })

  it("is asked with a token that a command prints", async () => {
    const settings = { project: "mine", location: "us", apiKey: { command: ["echo", "ya29.printed"] } }
    const heard = await vertex({}, settings).answer("gemini-3.8-flash", hello)
    expect(heard.urls[0]).toMatch(
      /^https:\/\/aiplatform\.us\.rep\.googleapis\.com\/v1beta1\/projects\/mine\/locations\/us\//,
    )
    expect((await heard.server.arrived(1)).headers["authorization"]).toBe("Bearer ya29.printed")
  })

  it("gets a thinking level as at Google, and its usage has a price", async () => {
    const { open } = vertex({ GOOGLE_VERTEX_API_KEY: "AQ.key" })
    const usage = { input: 1212, output: 30, cacheRead: 1000, cacheWrite5m: 0, cacheWrite1h: 0, reasoning: 7 }
    const choice = await open("gemini-3.8-flash", { ...hello, usage }, hello)
    const finish = finishOf(await ask(choice))
    expect(choice.costUsd(usageOf(finish ?? never()) ?? never())).toBeGreaterThan(0)
    expect(choice.contextWindow).toBe(1_000_000)
    const options = choice.thinking?.("low", 1000).options
    const { stream } = await choice.model.doStream({ ...question, ...options })
    await stream.cancel()
    expect((await choice.server.arrived(2)).body["generationConfig"]).toMatchObject({
      thinkingConfig: { thinkingLevel: "low", includeThoughts: true },
    })
  })
})

describe("Claude on Vertex", () => {
  const settings = { project: "mine", location: "us-east5", apiKey: { command: ["echo", "ya29.printed"] } }

  it("has the model in the address, the version in the body, and cache points", async () => {
    const { open, urls } = vertex({}, settings)
    const { model, server } = await open("claude-sonnet-4-5@20250929", hello)
    const { stream } = await model.doStream(withCachePoints(model, question))
    await stream.cancel()
    const { headers, body } = await server.arrived(1)
    expect(urls).toEqual([
      "https://us-east5-aiplatform.googleapis.com/v1/projects/mine/locations/us-east5/publishers/anthropic/models/claude-sonnet-4-5@20250929:streamRawPredict",
    ])
    expect(headers["authorization"]).toBe("Bearer ya29.printed")
    expect(headers["x-api-key"]).toBeUndefined()
    expect(body).toMatchObject({ anthropic_version: "vertex-2023-10-16", stream: true, max_tokens: 1000 })
    expect(body).not.toHaveProperty("model")
    expect(JSON.stringify(body).match(/"cache_control":\{"type":"ephemeral"\}/g)).toHaveLength(3)
  })

  it("thinks, is priced and limited as at Anthropic", async () => {
    const { open } = vertex({}, settings)
    const blocks = [{ thinking: "Let me see.", signature: "sealed==" }, { text: "Yes." }]
    const usage = { input: 1212, output: 30, cacheRead: 1000, cacheWrite5m: 150, cacheWrite1h: 50, reasoning: 0 }
    const choice = await open("claude-sonnet-5", { blocks, usage }, hello)
    const heard = await ask(choice)
    expect(heard.parts.find((part) => part.type === "reasoning-delta" && part.delta === "")).toMatchObject({
      providerMetadata: { anthropic: { signature: "sealed==" } },
    })
    expect(usageOf(finishOf(heard) ?? never())).toEqual(usage)
    expect(choice.costUsd(usage)).toBeGreaterThan(0)
    expect(choice).toMatchObject({ contextWindow: 1_000_000 })
    const options = choice.thinking?.("high", 1000).options
    const { stream } = await choice.model.doStream({ ...question, ...options })
    await stream.cancel()
    expect((await choice.server.arrived(2)).body).toMatchObject({
      thinking: { type: "adaptive" },
      output_config: { effort: "high" },
    })
  })

  it("is not served with a key of the express mode", async () => {
    await expect(vertex({ GOOGLE_VERTEX_API_KEY: "AQ.key" }).open("claude-sonnet-5")).rejects.toThrow(
      "Provider vertex serves Claude only with credentials of a project, not with a key (GOOGLE_VERTEX_API_KEY).",
    )
  })
})

describe("a token of Google", () => {
  it("is used until it is refused, then made again", async () => {
    const tokens = await tokenServer()
    const { open } = vertex({ GOOGLE_APPLICATION_CREDENTIALS: account(tokens) })
    const choice = await open("gemini-3.8-flash", hello, { status: 401 }, hello)
    await ask(choice)
    expect(textOf(await ask(choice))).toBe("Hello from the other side.")
    expect(choice.server.requests.map(({ headers }) => headers["authorization"])).toEqual([
      "Bearer token-1",
      "Bearer token-1",
      "Bearer token-2",
    ])
  })

  it.each([
    [{ type: "external_account" }, 'Set providers.NAME.apiKey to {"command": ["gcloud",'],
    [{ private_key: "no key" }, "The private_key of robot@corp.iam.gserviceaccount.com cannot be used."],
  ])("that cannot be made says why: %j", async (fields, message) => {
    const env = { GOOGLE_APPLICATION_CREDENTIALS: account(await tokenServer(), fields) }
    expect(String((await vertex(env).answer("gemini-3.8-flash")).fault)).toContain(message)
  })

  it("that the server refuses to make says why", async () => {
    const env = { GOOGLE_APPLICATION_CREDENTIALS: account(await tokenServer("invalid_grant")) }
    expect(String((await vertex(env).answer("gemini-3.8-flash")).fault)).toMatch(
      /Google gave no access token \(invalid_grant\) for .*: check GOOGLE_APPLICATION_CREDENTIALS\./,
    )
  })

  it("of a file that is not there says so", async () => {
    const env = { GOOGLE_APPLICATION_CREDENTIALS: "/nowhere/key.json", GOOGLE_CLOUD_PROJECT: "mine" }
    await expect(vertex(env).open("gemini-3.8-flash")).rejects.toThrow(
      "/nowhere/key.json cannot be read. Check GOOGLE_APPLICATION_CREDENTIALS.",
    )
  })

  it("is not made for an address of another provider", () => {
    const configured = { other: { type: "vertex", baseURL: "https://gate.example" } } as const
    const env = { GOOGLE_APPLICATION_CREDENTIALS: "/key.json", GOOGLE_CLOUD_PROJECT: "mine" }
    expect(findProvider("other", { configured, env, localServers: [] })?.credentials).toEqual({ kind: "none" })
  })
})

describe("what Vertex lacks is named", () => {
  const problem = (env: Environment) =>
    findProvider("vertex", { configured: {}, env: { HOME: "/nowhere", ...env }, localServers: [] })?.problem

  it("credentials", () => {
    expect(problem({})).toBe(
      "Provider vertex has no credentials: run 'gcloud auth application-default login', or set GOOGLE_APPLICATION_CREDENTIALS, GOOGLE_VERTEX_API_KEY, or providers.vertex.apiKey in the configuration.",
    )
  })

  it("a location", () => {
    expect(problem({ CLOUD_ML_REGION: "evil.example/" })).toContain('has no location: "evil.example/" is none.')
  })

  it("a project", async () => {
    await expect(vertex({}, { apiKey: { command: ["echo", "t"] } }).open("gemini-3.8-flash")).rejects.toThrow(
      "Provider vertex has no project: set GOOGLE_CLOUD_PROJECT, or providers.vertex.project in the configuration.",
    )
  })
})

it("a model that the location does not have is named as such", async () => {
  const { fault } = await vertex({ GOOGLE_VERTEX_API_KEY: "AQ.key" }).answer("gemini-x", { status: 404 })
  expect(String(fault)).toContain("(404): check the name, and whether location global has it.")
})

it("Vertex is listed with Gemini and Claude, and is not the default by itself", async () => {
  const env = { GOOGLE_APPLICATION_CREDENTIALS: "/key.json", ANTHROPIC_VERTEX_PROJECT_ID: "mine" }
  const source = createModelSource({ config: {}, env, localServers: [] })
  const ids = (await source.list()).flatMap(({ provider, id }) => (provider === "vertex" ? [id] : []))
  expect(ids).toEqual(expect.arrayContaining(["gemini-3.8-flash", "claude-sonnet-5", "claude-sonnet-4-5@20250929"]))
  expect(ids).not.toContain("claude-sonnet-4-5")
  expect(await source.defaultModel()).toBe("offline/demo")
})

function never(): never {
  throw new Error("unexpected")
}
