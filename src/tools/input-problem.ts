// Describes an input that does not match the schema of its tool, for the model: which field is wrong, and what to send
// instead. A field that does not exist is named with the nearest one that does.
import type { Fault } from "../contract/generated/tool-inputs.d.ts"
import { isObject } from "../contract/json-object.ts"
import { spellingsOf } from "../contract/rules/tool-spellings.ts"
import { nearestKey } from "../contract/text/nearest-key.ts"
import type { JsonValue } from "../contract/values.ts"

type JsonSchema = Readonly<Record<string, unknown>>

/** Unknown fields that are named. */
const MAX_UNKNOWN = 5
/** Characters of an unknown field's name. */
const MAX_NAME_LENGTH = 60

export function inputProblem(tool: string, input: JsonValue, faults: readonly Fault[], schema: JsonSchema): string {
  const unknown = faults.flatMap((fault) => unknownField(tool, fault, schema)).slice(0, MAX_UNKNOWN)
  const meant = unknown.flatMap(({ suggestion }) => suggestion ?? [])
  const others = faults.filter((fault) => !isUnknown(fault) && !isMissing(fault, meant))
  const wrong = [...new Set(others.map(describe))].join("; ")
  const ignored = others.some(({ keyword }) => keyword === "required") ? ignoredFields(input, schema) : []
  const hint = ignored.length === 0 ? "" : `; it has no field ${ignored.map(quoted).join(", ")}`
  const sentences = unknown.map(({ sentence }) => sentence)
  if (sentences.length === 0 || wrong !== "")
    sentences.push(`The input of ${tool} does not fit: ${wrong || "it is not what the tool expects"}${hint}.`)
  return sentences.join(" ")
}

function isUnknown({ keyword }: Fault): boolean {
  return keyword === "additionalProperties" || keyword === "unevaluatedProperties"
}

/** A required field that was sent under a similar name needs no second sentence. */
function isMissing({ keyword, params, instancePath }: Fault, names: readonly string[]): boolean {
  return keyword === "required" && instancePath === "" && names.includes(String(params["missingProperty"]))
}

function unknownField(tool: string, fault: Fault, schema: JsonSchema) {
  if (!isUnknown(fault)) return []
  const { instancePath, params } = fault
  const name = String(params["additionalProperty"] ?? params["unevaluatedProperty"])
  const fields = fieldsAt(schema, instancePath)
  const suggestion = nearestField(name, spellingsOf(tool, fields))
  const place = instancePath === "" ? tool : `${quoted(pathOf(instancePath))} of ${tool}`
  const advice =
    suggestion === undefined ? `its fields are ${fields.join(", ")}.` : `did you mean ${quoted(suggestion)}?`
  return [{ suggestion, sentence: `${place} has no field ${quoted(name)}; ${advice}` }]
}

/** The field meant by a known spelling that is nearly the same, or that contains the name. */
function nearestField(name: string, spellings: ReadonlyMap<string, string>): string | undefined {
  const known = [...spellings.keys()]
  const nearest = nearestKey(name.slice(0, MAX_NAME_LENGTH), known)
  const plain = name.toLowerCase().replaceAll(/[^a-z]/g, "")
  const containing = plain.length < 3 ? undefined : known.find((key) => key.toLowerCase().includes(plain))
  const found = nearest?.close === true ? nearest.key : containing
  return found === undefined ? undefined : spellings.get(found)
}

/** The fields of the object at a JSON pointer of the input. */
function fieldsAt(schema: JsonSchema, pointer: string): string[] {
  let at: unknown = schema
  for (const part of pointer.split("/").slice(1)) {
    if (!isObject(at)) return []
    const properties = at["properties"]
    at = isObject(properties) && Object.hasOwn(properties, part) ? properties[part] : at["items"]
  }
  const properties = isObject(at) ? at["properties"] : undefined
  return isObject(properties) ? Object.keys(properties) : []
}

function describe({ instancePath, keyword, params, message }: Fault): string {
  const field = instancePath === "" ? "the input" : quoted(pathOf(instancePath))
  const limit = String(params["limit"])
  switch (keyword) {
    case "required":
      return `'${String(params["missingProperty"])}' is missing`
    case "type":
      return `${field} must be ${withArticle(String(params["type"]))}`
    case "minLength":
      return limit === "1" ? `${field} must not be empty` : `${field} must have at least ${limit} characters`
    case "minimum":
      return `${field} must be at least ${limit}`
    case "maximum":
      return `${field} must be at most ${limit}`
    case "enum":
      return `${field} must be one of ${JSON.stringify(params["allowedValues"]).slice(1, -1).replaceAll(",", ", ")}`
    default:
      return `${field} ${message}`
  }
}

function pathOf(instancePath: string): string {
  return instancePath.slice(1).replaceAll("/", ".")
}

function quoted(name: string): string {
  return `'${name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH).toWellFormed()}…` : name}'`
}

function withArticle(type: string): string {
  return type === "integer" ? "a whole number" : `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`
}

/** Fields that the schema allows and does not name. */
function ignoredFields(input: JsonValue, schema: JsonSchema): string[] {
  const known = schema["properties"]
  if (!isObject(input) || !isObject(known) || schema["additionalProperties"] === false) return []
  return Object.keys(input)
    .filter((name) => !Object.hasOwn(known, name))
    .slice(0, MAX_UNKNOWN)
}
