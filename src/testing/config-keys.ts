// For tests: every key that the configuration can have, from the emitted JSON Schema.
import { readFileSync } from "node:fs"
import { isPlain } from "../config/plain.ts"

const schema: unknown = JSON.parse(readFileSync(new URL("../../spec/schemas/config.json", import.meta.url), "utf8"))

/** As docs/configuration.md spells them: `tools.define.<name>.run`. */
export function configKeys(): readonly string[] {
  return [...new Set(keysOf(schema, ""))]
}

/** A value of any kind ends the walk. */
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
