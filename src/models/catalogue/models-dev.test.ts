import { describe, expect, it } from "vitest"
import { modelsIn } from "./catalogue-file.ts"
import { catalogueFromModelsDev } from "./models-dev.ts"

const sonnet = {
  id: "claude-sonnet-9",
  name: "Claude Sonnet 9",
  reasoning: true,
  tool_call: true,
  modalities: { input: ["text", "image", "pdf"], output: ["text"] },
  limit: { context: 1_000_000, output: 64_000 },
  cost: { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75, context_over_200k: { input: 6, output: 22.5 } },
}

function read(value: unknown) {
  return catalogueFromModelsDev(value, "https://catalogue.example/api.json", "2026-11-16")
}

describe("a catalogue in the format of models.dev", () => {
  it("has limits, abilities and prices of each model", () => {
    const file = read({ anthropic: { id: "anthropic", models: { "claude-sonnet-9": sonnet } } })
    expect(file).toMatchObject({ date: "2026-11-16", providers: { anthropic: { hosts: ["api.anthropic.com"] } } })
    expect(modelsIn(file?.providers["anthropic"]?.models ?? [])).toEqual([
      {
        id: "claude-sonnet-9",
        name: "Claude Sonnet 9",
        contextWindow: 1_000_000,
        outputLimit: 64_000,
        abilities: { images: true, thinking: true, tools: true, pdf: true },
        prices: {
          base: { input: 3, output: 15, cacheRead: 0.3, cacheWrite5m: 3.75 },
          longer: [{ inputAbove: 200_000, prices: { input: 6, output: 22.5 } }],
        },
      },
    ])
  })

  it("recognises a provider by the host of its address", () => {
    const file = read({ lab: { api: "https://api.lab.example/v1", models: { m: sonnet } } })
    expect(file?.providers["lab"]?.hosts).toEqual(["api.lab.example"])
  })

  it("leaves out models that are deprecated, make no text or have no usable name", () => {
    const models = {
      old: { ...sonnet, status: "deprecated" },
      painter: { ...sonnet, modalities: { input: ["text"], output: ["image"] } },
      "with space": sonnet,
      plain: {},
      nothing: null,
    }
    const lines = read({ lab: { models } })?.providers["lab"]?.models
    expect(lines).toEqual(["plain - - - -"])
  })

  it.each([null, [], "text", {}, { lab: { models: {} } }, { lab: { models: [] } }, { data: [{ id: "x" }] }])(
    "is not %j",
    (value) => expect(read(value)).toBeUndefined(),
  )

  it("ignores values of the wrong kind", () => {
    const odd = {
      name: 7,
      reasoning: "yes",
      limit: { context: -1, output: "many" },
      cost: { input: "3" },
      modalities: "all",
    }
    const [line] = read({ lab: { models: { odd } } })?.providers["lab"]?.models ?? []
    expect(line).toBe("odd - - - -")
  })
})
