import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { checks } from "../contract/generated/config.js"
import { parseConfigText } from "./parse-config-text.ts"
import { isPlain } from "./plain.ts"

const page = readFileSync(new URL("../../docs/configuration.md", import.meta.url), "utf8")
const schema: unknown = JSON.parse(readFileSync(new URL("../../spec/schemas/config.json", import.meta.url), "utf8"))

/** Every key that can be set, in the spelling of the page. A value of any kind ends the walk. */
function keysOf(node: unknown, path: string): string[] {
  if (!isPlain(node)) return []
  const shapes = Array.isArray(node["anyOf"]) ? node["anyOf"] : []
  const inner = isPlain(node["properties"]) ? Object.entries(node["properties"]) : []
  const below = [
    ...shapes.flatMap((shape) => keysOf(shape, path)),
    ...inner.flatMap(([key, value]) => keysOf(value, path === "" ? key : `${path}.${key}`)),
  ]
  if (isPlain(node["additionalProperties"]) && "type" in node["additionalProperties"]) {
    below.push(...keysOf(node["additionalProperties"], `${path}.<name>`))
  }
  const isChoice = shapes.some((shape) => isPlain(shape) && shape["type"] !== "object")
  return below.length === 0 || isChoice ? [path, ...below] : below
}

describe("the page on configuration", () => {
  it("has every key of the schema, and no other", () => {
    const documented = [...page.matchAll(/^\| `([^`]+)` +\|/gm)].map(([, key = ""]) => key)
    expect(documented.toSorted()).toEqual([...new Set(keysOf(schema, ""))].toSorted())
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
