// The generated checkers against ajv: for values near every schema of the project both give the same verdict.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Ajv2020 } from "ajv/dist/2020.js"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { compactChecks, type JsonSchema } from "../scripts/artefacts/compact-checks.ts"

const folder = join(import.meta.dirname, "schemas")
/** Without the configuration: its checker says what is wrong, so it is ajv's. */
const files = readdirSync(folder).filter((name) => name !== "config.json")

describe("compact checks", () => {
  it.each(files)("agree with ajv on %s", async (file) => {
    const schemas = schemasIn(JSON.parse(readFileSync(join(folder, file), "utf8")))
    const compiled = await compile(schemas)
    const ajv = new Ajv2020({ strict: false, unicode: false, logger: false, validateFormats: false })
    const verdicts = new Set<boolean>()
    for (const [name, schema] of schemas) {
      const validate = ajv.compile(schema)
      const agrees = (value: unknown) => {
        const verdict = validate(value)
        verdicts.add(verdict)
        expect(compiled[name]?.(structuredClone(value))).toBe(verdict)
      }
      fc.assert(fc.property(near(schema), agrees), { numRuns: 30 })
    }
    expect(verdicts).toEqual(new Set([true, false]))
  })

  it("fills in the default of an absent field, and the defaults inside of it", async () => {
    const list = { type: "array", items: { type: "string" }, default: ["a"] }
    const inner = { type: "object", properties: { list }, default: {} }
    const { row } = await compile(new Map([["row", { type: "object", properties: { inner } }]]), true)
    const value = {}
    expect(row?.(value)).toBe(true)
    expect(value).toEqual({ inner: { list: ["a"] } })
    expect(row?.({ inner: { list: [1] } })).toBe(false)
    expect(row?.({ inner: null })).toBe(false)
  })

  it("requires exactly one match of oneOf without a distinguishing field", async () => {
    const oneOf = [
      { type: "number", minimum: 1 },
      { type: "number", maximum: 2 },
    ]
    const { number } = await compile(new Map([["number", { oneOf }]]))
    expect([0, 1.5, 3].map((value) => number?.(value))).toEqual([true, false, true])
  })

  it("refuses a keyword that it does not know", () => {
    const schema = { type: "object", patternProperties: {} }
    expect(() => compactChecks(new Map([["x", schema]]))).toThrow("cannot compile 'patternProperties'")
  })
})

type Checks = Record<string, (value: unknown) => boolean>

async function compile(schemas: ReadonlyMap<string, JsonSchema>, withDefaults = false): Promise<Checks> {
  const code = compactChecks(schemas, withDefaults)
  return import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(code)}`)
}

/** A file holds one schema, a union, or a table of schemas. */
function schemasIn(file: JsonSchema): Map<string, JsonSchema> {
  if ("type" in file && typeof file["type"] === "string") return new Map([["whole", file]])
  const members = Array.isArray(file["oneOf"]) ? file["oneOf"] : Object.values(file)
  return new Map(members.filter(isSchema).map((schema, index) => [`check_${index}`, schema]))
}

const junk = fc.constantFrom(undefined, null, true, 0, 1.5, -1, 1e300, "", "x", [], ["x"], {}, { x: 1 })

/** Values that mostly fit: any part can be junk, absent or doubled. */
function near(schema: JsonSchema): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 40, arbitrary: fitting(schema) }, { weight: 1, arbitrary: junk })
}

function fitting(schema: JsonSchema): fc.Arbitrary<unknown> {
  if ("const" in schema) return fc.constant(schema["const"])
  if (Array.isArray(schema["enum"])) return fc.constantFrom(...schema["enum"])
  const options = [schema["anyOf"], schema["oneOf"]].flat().filter(isSchema)
  if (options.length > 0) return fc.oneof(...options.map(near))
  const types = [schema["type"]].flat()
  return fc.oneof(...types.map((type) => fittingType(String(type), schema)))
}

function fittingType(type: string, schema: JsonSchema): fc.Arbitrary<unknown> {
  const minimum = Number(schema["minimum"] ?? -5)
  switch (type) {
    case "null":
      return fc.constant(null)
    case "boolean":
      return fc.boolean()
    case "integer":
    case "number":
      return fc.integer({ min: Math.max(minimum, -5), max: Math.max(minimum, 5) + 5 })
    case "string":
      return typeof schema["pattern"] === "string" ? fc.stringMatching(new RegExp(schema["pattern"])) : text(schema)
    case "array":
      return fc.array(isSchema(schema["items"]) ? near(schema["items"]) : junk, { maxLength: 3 })
    case "object":
      return object(schema)
    default:
      return junk
  }
}

function text({ minLength, maxLength }: JsonSchema): fc.Arbitrary<string> {
  const least = Number(minLength ?? 0)
  return fc.string({
    minLength: Math.max(0, least - 1),
    maxLength: Math.min(Number(maxLength ?? least + 8), least + 8) + 1,
  })
}

function object(schema: JsonSchema): fc.Arbitrary<unknown> {
  const properties = isSchema(schema["properties"]) ? Object.entries(schema["properties"]) : []
  const required = Array.isArray(schema["required"]) ? schema["required"] : []
  const listed = fc.record(
    Object.fromEntries(properties.filter(hasSchema).map(([key, property]) => [key, near(property)])),
    { requiredKeys: required.filter((key) => properties.some(([name]) => name === key)) },
  )
  const { additionalProperties } = schema
  const extra = fc.dictionary(
    fc.string({ maxLength: 3 }),
    isSchema(additionalProperties) ? near(additionalProperties) : junk,
    { maxKeys: 2 },
  )
  const few = fc.oneof({ weight: 8, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: extra })
  return fc.tuple(listed, isSchema(additionalProperties) ? extra : few).map(([a, b]) => ({ ...b, ...a }))
}

function hasSchema(entry: [string, unknown]): entry is [string, JsonSchema] {
  return isSchema(entry[1])
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
