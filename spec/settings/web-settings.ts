// Settings of the web tools, with pages on loopback.
import { expect, vi } from "vitest"
import { webServer } from "../../src/tools/web/fixtures/web-server.ts"
import { chmodSync } from "node:fs"
import { dirname } from "node:path"
import type { Config } from "../../src/contract/config.ts"
import type { SettingTests } from "./setting-tests.ts"
import type { World } from "./world.ts"

type Search = NonNullable<NonNullable<Config["web"]>["search"]>

/** The outcome of a search, and the request that a server on loopback got. */
async function searched(world: World, change: Partial<Search>) {
  const sent: string[] = []
  const server = await webServer((request, response) => {
    sent.push(
      `${request.method} ${request.url} ${String(request.headers["x-api-key"] ?? request.headers["authorization"])}`,
    )
    response.end(JSON.stringify({ results: [{ title: "Found", url: "https://a.example/" }] }))
  })
  const search: Search = {
    provider: "exa",
    apiKey: "key-1234567890",
    baseURL: `http://127.0.0.1:${server.port}`,
    ...change,
  }
  const config: Config = { model: world.calls("web_search", { query: "q" }), web: { search } }
  return { outcome: await world.call(config, { preset: "trusting" }), sent: sent[0] }
}

export const webSettings: SettingTests = {
  "web.allowPrivate": async (world) => {
    const server = await webServer((_, response) => void response.end("inside"))
    const fetching = (allowPrivate: string[]) =>
      world.call(
        { model: world.calls("web_fetch", { url: `http://127.0.0.1:${server.port}/` }), web: { allowPrivate } },
        { preset: "trusting" },
      )
    expect(await fetching([])).toMatch(/^failed: .* 127\.0\.0\.1 is not a public address/)
    expect(server.requests).toEqual([])
    expect(await fetching([`127.0.0.1:${server.port}`])).toMatch(/^done: .*inside$/s)
  },
  "web.search.provider": async (world) => {
    expect(await searched(world, {})).toEqual({
      outcome: "done: 1. Found\n   https://a.example/",
      sent: "POST /search key-1234567890",
    })
    expect((await searched(world, { provider: "tavily" })).sent).toBe("POST /search Bearer key-1234567890")
    expect((await searched(world, { provider: "searxng" })).sent).toMatch(/^GET \/search\?q=q&format=json /)
  },
  "web.search.baseURL": async (world) => {
    expect((await searched(world, {})).sent).toContain("POST /search")
    expect((await searched(world, { baseURL: "http://127.0.0.1:1" })).outcome).toContain("Exa could not be asked")
  },
  "web.search.apiKey": async (world) => {
    expect((await searched(world, { apiKey: "key-two-222222" })).sent).toBe("POST /search key-two-222222")
    const without = await searched(world, { apiKey: undefined })
    expect(without).toEqual({ outcome: expect.stringContaining("There is no tool named web_search"), sent: undefined })
  },
  "web.search.apiKey.command": async (world) => {
    const { sent } = await searched(world, { apiKey: { command: ["echo", "printed-key-3333"] } })
    expect(sent).toBe("POST /search printed-key-3333")
  },
  "web.search.apiKey.keychain": async (world) => {
    const tool = world.write("bin/secret-tool", '#!/bin/sh\necho "key-of-$3-444444"\n')
    chmodSync(tool, 0o755)
    vi.stubEnv("PATH", `${dirname(tool)}:${process.env["PATH"] ?? ""}`)
    expect((await searched(world, { apiKey: { keychain: "work" } })).sent).toBe("POST /search key-of-work-444444")
  },
}
