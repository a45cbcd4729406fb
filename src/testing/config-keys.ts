// For tests and documentation: every key that the configuration can have, from the emitted JSON Schema.
import { isObject } from "../contract/json-object.ts"
import { readFileSync } from "node:fs"

const schema: unknown = JSON.parse(readFileSync(new URL("../../spec/schemas/config.json", import.meta.url), "utf8"))

/** As docs/configuration.md spells them: `tools.define.<name>.run`. */
export function configKeys(): readonly string[] {
  return [...configSchemas().keys()]
}

/** The JSON Schema of each key. */
export function configSchemas(): ReadonlyMap<string, unknown> {
  return new Map(keysOf(schema, ""))
}

/** A value of any kind ends the walk. */
function keysOf(node: unknown, path: string): (readonly [string, unknown])[] {
  if (!isObject(node)) return []
  const shapes = Array.isArray(node["anyOf"]) ? node["anyOf"] : []
  const inner = isObject(node["properties"]) ? Object.entries(node["properties"]) : []
  const below = [
    ...shapes.flatMap((shape) => keysOf(shape, path)),
    ...inner.flatMap(([key, value]) => keysOf(value, path === "" ? key : `${path}.${key}`)),
  ]
  if (isObject(node["additionalProperties"]) && "type" in node["additionalProperties"]) {
    below.push(...keysOf(node["additionalProperties"], `${path}.<name>`))
  }
  const isChoice = shapes.some((shape) => isObject(shape) && shape["type"] !== "object")
  return below.length === 0 || isChoice ? [[path, node], ...below] : below
}
