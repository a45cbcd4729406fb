import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import { once } from "node:events"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { Provider } from "../providers/provider.ts"
import { loadCatalogue } from "./model-catalogue.ts"
import { refreshCatalogue } from "./refresh.ts"
import { MAX_CATALOGUE_BYTES } from "./stored-catalogue.ts"

const now = new Date("2026-11-16T10:00:00Z")
const model = { limit: { context: 9000 }, modalities: { input: ["text"], output: ["text"] } }
const root = mkdtempSync(join(tmpdir(), "turnhouse-refresh-"))
let folder = ""
let server: Server
let url = ""

const answers: Record<string, () => string | undefined> = {
  "/api.json": () => JSON.stringify({ lab: { api: `${url}/v1`, models: { small: model } } }),
  "/v1/models": () => JSON.stringify({ data: [{ id: "small", context_length: 7000 }, { id: "private" }] }),
  "/broken": () => "{",
  "/other": () => '{"hello":1}',
  "/huge": () => `{"x":"${"y".repeat(MAX_CATALOGUE_BYTES)}"}`,
}

beforeAll(async () => {
  server = createServer((request, response) => {
    const answer = answers[request.url ?? ""]?.()
    response.statusCode = answer === undefined ? 404 : 200
    response.end(answer ?? "not here")
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`
})
afterAll(() => {
  server.close()
  rmSync(root, { recursive: true })
})
beforeEach(() => {
  folder = join(mkdtempSync(join(root, "home-")), "catalogue")
})

function lab(name = "lab", path = "/v1"): Provider {
  return {
    name,
    type: "openai-compatible",
    baseURL: `${url}${path}`,
    vendorAddress: false,
    headers: undefined,
    region: undefined,
    credentials: { kind: "none" },
    problem: undefined,
  }
}

function refresh(from: string, providers: readonly Provider[] = []) {
  return refreshCatalogue({ folder, providers, from, fetch: globalThis.fetch, now, timeoutMs: 5000 })
}

describe("a refresh", () => {
  it("stores the catalogue and the list of each provider, which counts first", async () => {
    expect(await refresh(`${url}/api.json`, [lab()])).toEqual([
      { name: `${url}/api.json`, models: 1 },
      { name: "lab", models: 2 },
    ])
    const catalogue = await loadCatalogue(folder)
    expect(catalogue.find(lab(), "small")).toMatchObject({
      own: { contextWindow: 7000 },
      fetched: { contextWindow: 9000 },
    })
    expect(catalogue.listed(lab()).map(({ id }) => id)).toEqual(["small", "private"])
    expect(catalogue.ownList(lab())).toEqual(now)
    expect(catalogue.fetchedData).toMatchObject({ date: "2026-11-16" })
  })

  it("does not use a list for another address or provider", async () => {
    await refresh(`${url}/api.json`, [lab()])
    const catalogue = await loadCatalogue(folder)
    expect(catalogue.ownList(lab("lab", "/v2"))).toBeUndefined()
    expect(catalogue.find(lab("other"), "private").own).toBeUndefined()
  })

  it("reads a catalogue from a file", async () => {
    const file = join(root, "own.json")
    writeFileSync(file, JSON.stringify({ lab: { models: { small: model } } }))
    expect(await refresh(file)).toEqual([{ name: file, models: 1 }])
  })

  it.each([
    ["/broken", "it is not JSON"],
    ["/other", "it is not a catalogue in the format of models.dev"],
    ["/missing", "it answered with status 404"],
    ["/huge", `the answer has more than ${MAX_CATALOGUE_BYTES} bytes`],
  ])("keeps the earlier data when the answer of %s cannot be used", async (path, problem) => {
    await refresh(`${url}/api.json`)
    const before = readFileSync(join(folder, "catalogue.json"), "utf8")
    expect(await refresh(`${url}${path}`)).toEqual([{ name: `${url}${path}`, models: 0, problem }])
    expect(readFileSync(join(folder, "catalogue.json"), "utf8")).toBe(before)
    expect(readdirSync(folder)).toEqual(["catalogue.json"])
  })

  it("reports a provider that refuses, and stores the others", async () => {
    expect(await refresh(join(root, "none.json"), [lab("wrong", "/v9"), lab()])).toEqual([
      { name: join(root, "none.json"), models: 0, problem: "there is no such file" },
      { name: "wrong", models: 0, problem: "it answered with status 404" },
      { name: "lab", models: 2 },
    ])
  })
})

describe("a stored catalogue", () => {
  it.each(["", "{", "[]", '{"version":2}', '{"version":1,"source":"s","date":"d","providers":{"p":{"models":[7]}}}'])(
    "with the content %j is reported and ignored",
    async (text) => {
      await refresh(`${url}/api.json`)
      writeFileSync(join(folder, "catalogue.json"), text)
      const catalogue = await loadCatalogue(folder)
      expect(catalogue.problems).toEqual([expect.stringContaining("is not a model catalogue and is ignored")])
      expect(catalogue.fetchedData).toBeUndefined()
    },
  )

  it("is not needed", async () => {
    const catalogue = await loadCatalogue(join(root, "nowhere"))
    expect(catalogue.problems).toEqual([])
    expect(catalogue.find({ ...lab(), type: "anthropic" }, "claude-sonnet-5").bundled).toMatchObject({
      abilities: { images: true, thinking: true, tools: true, pdf: true },
    })
  })
})
