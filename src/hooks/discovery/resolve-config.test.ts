import { describe, expect, it } from "vitest"
import { parseSettings, resolveConfig, type ConfigSources } from "./resolve-config.ts"

const none: ConfigSources = { env: {}, own: [], common: new Map() }

describe("the settings of an extension", () => {
  it("are resolved in order: environment, secret, own files, common file, default", () => {
    const entry = { key: "api-url", secret_env: "THE_SECRET", default: { port: 1 } }
    const all: ConfigSources = {
      env: { SYNAPS_EXTENSION_MY_EXT_API_URL: "env", THE_SECRET: "secret" },
      own: [new Map(), new Map([["api-url", "own"]])],
      common: new Map([["extension.my-ext.api-url", "common"]]),
    }
    const valueFrom = (sources: ConfigSources) => {
      const resolved = resolveConfig("my-ext", [entry], sources)
      return resolved.kind === "ok" ? resolved.values["api-url"] : resolved
    }
    expect(valueFrom(all)).toBe("env")
    expect(valueFrom({ ...all, env: { THE_SECRET: "secret" } })).toBe("secret")
    expect(valueFrom({ ...all, env: {} })).toBe("own")
    expect(valueFrom({ ...all, env: {}, own: [] })).toBe("common")
    expect(valueFrom(none)).toEqual({ port: 1 })
  })

  it("that are required and missing are named, with where to set them (case 56)", () => {
    const entries = [{ key: "token", required: true }]
    expect(resolveConfig("my-ext", entries, none)).toEqual({
      kind: "bad",
      reason: expect.stringMatching(/'token' is missing.*SYNAPS_EXTENSION_MY_EXT_TOKEN.*extension\.my-ext\.token/),
    })
    const env = { SYNAPS_EXTENSION_MY_EXT_TOKEN: "5" }
    expect(resolveConfig("my-ext", entries, { ...none, env })).toEqual({ kind: "ok", values: { token: "5" } })
  })

  it("that are neither required nor set are absent; null is no default", () => {
    expect(resolveConfig("x", [{ key: "a" }, { key: "b", default: null }], none)).toEqual({ kind: "ok", values: {} })
  })

  it.for(["", "  ", "a.b", "a/b", "a b"])("cannot have the key '%s'", (key) => {
    expect(resolveConfig("x", [{ key }], none)).toMatchObject({ kind: "bad" })
  })

  it("are stored in files as lines with an equals sign", () => {
    const text = "# a comment\n a = b = c \n\nnonsense\nempty=\n"
    expect([...parseSettings(text)]).toEqual([
      ["a", "b = c"],
      ["empty", ""],
    ])
  })
})
