import { describe, expect, it } from "vitest"
import type { Config } from "../contract/config.ts"
import { createModelSource } from "../models/registry.ts"
import { offlineModelWarnings, visitorMayChoose } from "./visitor-models.ts"

const provider = { type: "openai-compatible", baseURL: "http://127.0.0.1:9/v1" } as const
const providers = { mock: provider, other: provider }

function mayChoose(config: Config, model: string, agentId = "shop"): Promise<boolean> {
  const models = createModelSource({ config: { providers, ...config }, env: {}, localServers: [] })
  return visitorMayChoose({ agents: config.agents ?? {}, models }, agentId, model)
}

const offlineNames = [
  "offline/demo",
  "offline/demo:0",
  "offline/script:/dev/zero",
  "offline/",
  "offline",
  "demo",
  "script:/dev/zero",
]

describe("visitorMayChoose", () => {
  it.each([
    ["mock/large", true],
    ["large", true],
    ["mock/small", true],
    ["mock/huge", false],
    ["other/large", false],
    ["unknown/large", false],
    ["an extension:its provider/large", false],
  ])("%s is %s where the agent lists models of one provider", async (model, expected) => {
    const config = { model: "mock/large", agents: { shop: { models: ["mock/large", "small"] } } }
    expect(await mayChoose(config, model)).toBe(expected)
  })

  it("allows the agent's own model without a list, and none with an empty list", async () => {
    const agents = { shop: { model: "other/a" }, usual: {}, closed: { models: [] } }
    const chosen = (agentId: string, model: string) => mayChoose({ model: "mock/m", agents }, model, agentId)
    expect([await chosen("shop", "other/a"), await chosen("shop", "mock/m")]).toEqual([true, false])
    expect([await chosen("usual", "mock/m"), await chosen("usual", "other/a")]).toEqual([true, false])
    expect([await chosen("closed", "mock/m"), await chosen("missing", "mock/m")]).toEqual([false, false])
    expect(await chosen("__proto__", "mock/m")).toBe(false)
  })

  it("allows any model of the default provider when no agent is configured", async () => {
    const chosen = (model: string) => mayChoose({ model: "mock/m" }, model)
    expect([await chosen("mock/m"), await chosen("mock/else"), await chosen("other/m")]).toEqual([true, true, false])
  })

  it.each(offlineNames)("refuses %s, even if it is listed or the operator's default", async (name) => {
    const listed = { model: "mock/m", agents: { shop: { models: ["offline/demo", "offline/script:/dev/zero"] } } }
    expect(await mayChoose(listed, name)).toBe(false)
    expect(await mayChoose({ model: "offline/demo", agents: { shop: { models: [name] } } }, name)).toBe(false)
    expect(await mayChoose({ model: "offline/demo" }, name)).toBe(false)
    expect(await mayChoose({}, name)).toBe(false)
  })
})

it("warns about every offline model in a list", () => {
  const agents = { shop: { models: ["mock/m", "offline/demo"] }, other: { models: ["offline"] }, none: {} }
  expect(offlineModelWarnings({ agents })).toEqual([
    expect.stringMatching(/^agents\.shop\.models: "offline\/demo" is ignored\. .*remove it/),
    expect.stringMatching(/^agents\.other\.models: "offline" is ignored\./),
  ])
})
