import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { checks } from "../contract/generated/config.js"
import { configKeys } from "../testing/config-keys.ts"
import { parseConfigText } from "./parse-config-text.ts"

const page = readFileSync(new URL("../../docs/configuration.md", import.meta.url), "utf8")

describe("the page on configuration", () => {
  it("has every key of the schema, and no other", () => {
    const documented = [...page.matchAll(/^\| `([^`]+)` +\|/gm)].map(([, key = ""]) => key)
    expect(documented.toSorted()).toEqual(configKeys().toSorted())
  })

  it("shows only examples that are in order", async () => {
    const examples = [...page.matchAll(/```jsonc\n(.*?)```/gs)].map(([, text = ""]) => text)
    expect(examples.length).toBeGreaterThan(2)
    for (const example of examples) {
      const parsed = await parseConfigText(example)
      expect(parsed).toMatchObject({ kind: "value" })
      expect(parsed.kind === "value" && checks.config(parsed.value)).toBe(true)
    }
  })
})
