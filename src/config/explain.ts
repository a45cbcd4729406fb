// Turns the checker's errors into problems that the user can fix. The schema is read only here, when there are errors.
import { isObject } from "../contract/json-object.ts"
import { existsSync, readFileSync } from "node:fs"
import type { Fault } from "../contract/generated/config.js"
import { dotted, isTexts, type Path, valueAt } from "./plain.ts"
import { networkRule } from "../contract/rules/network-rules.ts"
import { nearestKey } from "../contract/text/nearest-key.ts"
import { configSchemaFile } from "../program/program-files.ts"

export interface Problem {
  readonly path: Path
  readonly at: "key" | "value"
  readonly what: string
  /** A value is missing; another file may set it. */
  readonly missing: boolean
}

export function explain(faults: readonly Fault[], value: unknown): readonly Problem[] {
  return oneFaultPerPlace(withoutOtherBranches(faults)).map((fault) => problemOf(fault, value))
}

function problemOf(fault: Fault, value: unknown): Problem {
  const path = pathOf(fault)
  const { additionalProperty: unknownKey, missingProperty: missingKey } = fault.params
  if (typeof unknownKey === "string") {
    return { path: [...path, unknownKey], at: "key", what: describeUnknownKey(unknownKey, fault), missing: false }
  }
  if (typeof missingKey === "string") {
    return { path, at: "value", what: `${dotted([...path, missingKey])} is missing`, missing: true }
  }
  const where = path.length === 0 ? "the whole" : dotted(path)
  return { path, at: "value", what: `${where}: ${describeFault(fault, valueAt(value, path))}`, missing: false }
}

function describeUnknownKey(key: string, fault: Fault): string {
  const known = knownKeys(schemaPathOf(fault))
  const nearest = nearestKey(key, known)
  const unknown = `unknown key ${JSON.stringify(dotted([...pathOf(fault), key]))}`
  if (nearest === undefined) return `${unknown}; docs/configuration.md lists the known ones`
  if (nearest.close) return `${unknown}; did you mean "${nearest.key}"?`
  return `${unknown}; the nearest known key here is "${nearest.key}" (known: ${known.join(", ")})`
}

function describeFault({ keyword, params, message }: Fault, found: unknown): string {
  const limit = String(params["limit"])
  switch (keyword) {
    case "type":
      return `expected ${describeType(params["type"])}, found ${describeValue(found)}`
    case "enum":
      return `expected ${choice(params["allowedValues"])}, found ${describeValue(found, true)}`
    case "minLength":
    case "propertyNames":
      return "the text is empty; write one or remove it"
    case "minItems":
      return "the list is empty; it needs at least one item"
    case "maxLength":
      return `expected at most ${limit} characters, found more`
    case "maxItems":
      return `expected at most ${limit} items, found more`
    case "minimum":
      return `expected ${limit} or more, found ${describeValue(found)}`
    case "maximum":
      return `expected ${limit} or less, found ${describeValue(found)}`
    case "exclusiveMinimum":
      return `expected more than ${limit}, found ${describeValue(found)}`
    case "pattern":
      return patterns.get(String(params["pattern"])) ?? message
    default:
      return message
  }
}

/** What is expected where the schema has a regular expression. */
const patterns: ReadonlyMap<string, string> = new Map([
  [networkRule.source, "expected a host, such as example.com, *.example.com or example.com:8443, without https://"],
])

function describeType(type: unknown): string {
  const typeNames: Record<string, string> = {
    string: "a text",
    object: "an object {…}",
    array: "a list […]",
    boolean: "true or false",
    number: "a number",
    integer: "a whole number",
  }
  const types = isTexts(type) ? type : [String(type)]
  return types.map((one) => typeNames[one] ?? one).join(" or ")
}

function choice(allowed: unknown): string {
  const shown = Array.isArray(allowed) ? allowed.map((one) => JSON.stringify(one)) : []
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} or ${shown.at(-1)}`
}

/** A text is shown only where fixed values are expected: elsewhere it may be a secret. */
function describeValue(found: unknown, showText = false): string {
  if (typeof found === "string") return showText && found.length <= 40 ? JSON.stringify(found) : "a text"
  if (typeof found === "number") return `the number ${found}`
  if (Array.isArray(found)) return "a list"
  return typeof found === "object" && found !== null ? "an object" : String(found)
}

/** The keys of the object whose `additionalProperties` rule has the given address in the schema. */
function knownKeys(schemaPath: string): readonly string[] {
  if (!existsSync(configSchemaFile)) return [] // without the schema unknown keys are still reported
  const schema: unknown = JSON.parse(readFileSync(configSchemaFile, "utf8"))
  const steps = schemaPath.split("/").slice(1, -1)
  const properties = valueAt(schema, [...steps.map(decodeURIComponent), "properties"])
  return isObject(properties) ? Object.keys(properties).filter((key) => key !== "$schema") : []
}

function withoutOtherBranches(faults: readonly Fault[]): readonly Fault[] {
  const unions = faults.filter((fault) => fault.keyword === "anyOf")
  const rest = faults.filter((fault) => fault.keyword !== "anyOf")
  return unions.reduce((left, union) => {
    const inside = left.filter((fault) => isInside(fault, union))
    return [...left.filter((fault) => !inside.includes(fault)), ...intendedBranch(union, inside)]
  }, rest)
}

/** Of several errors about the same value, the most specific one is kept. */
function oneFaultPerPlace(faults: readonly Fault[]): readonly Fault[] {
  const places = Map.groupBy(faults, ({ instancePath, params }) =>
    JSON.stringify([instancePath, params["additionalProperty"], params["missingProperty"]]),
  )
  return [...places.values()].flatMap(
    (samePlace) => samePlace.find((fault) => fault.keyword === "enum") ?? samePlace[0] ?? [],
  )
}

function pathOf({ instancePath }: Fault): Path {
  const steps = instancePath.split("/").slice(1)
  return steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
}

/** The address of the broken rule in the schema: `#/properties/tools/additionalProperties`. Faults have it below their property. */
function schemaPathOf(fault: Fault): string {
  const path = "schemaPath" in fault && typeof fault.schemaPath === "string" ? fault.schemaPath : ""
  const [, property] = fault.instancePath.split("/")
  return property === undefined ? path : path.replace("#", `#/properties/${property}`)
}

function isInside(fault: Fault, union: Fault): boolean {
  return (
    schemaPathOf(fault).startsWith(`${schemaPathOf(union)}/`) &&
    `${fault.instancePath}/`.startsWith(`${union.instancePath}/`)
  )
}

function intendedBranch(union: Fault, inside: readonly Fault[]): readonly Fault[] {
  const branches = Map.groupBy(
    inside,
    (fault) =>
      schemaPathOf(fault)
        .slice(schemaPathOf(union).length + 1)
        .split("/")[0],
  )
  const fitting = [...branches.values()].filter((branch) => !branch.some((fault) => rulesOut(fault, union)))
  const intended = fitting.toSorted((a, b) => a.length - b.length)[0]
  return intended ?? noneFits(union, inside)
}

/** Another tag, or another type of value. */
function rulesOut(fault: Fault, union: Fault): boolean {
  return fault.keyword === "const" || (fault.keyword === "type" && fault.instancePath === union.instancePath)
}

function noneFits(union: Fault, inside: readonly Fault[]): readonly Fault[] {
  const tags = inside.filter((fault) => fault.keyword === "const")
  const first = tags[0]
  if (first !== undefined) {
    const allowedValues = tags.map((fault) => fault.params["allowedValue"])
    return [{ ...first, keyword: "enum", params: { allowedValues } }]
  }
  const kinds = inside.filter((fault) => rulesOut(fault, union)).map((fault) => fault.params["type"])
  return [{ ...union, keyword: "type", params: { type: [...new Set(kinds)] } }]
}
