// Checks inputs against a JSON Schema of a configuration or an extension: draft 2020-12 or draft-07. The library is
// loaded with the first schema. Formats are notes for the model and are not checked.
import { messageOf } from "../contract/faults.ts"
import { isJson } from "../contract/json-object.ts"
import type { Ajv, ErrorObject, ValidateFunction } from "ajv"
import type { Check, Fault } from "../contract/generated/tool-inputs.d.ts"
import type { JsonValue } from "../contract/values.ts"

export type Schema = Readonly<Record<string, JsonValue>>

export type CompiledCheck =
  | { readonly kind: "check"; readonly check: Check<JsonValue> }
  | { readonly kind: "broken"; readonly reason: string }

type Dialect = "2020-12" | "draft-07"

const options = { strict: false, allErrors: true, validateFormats: false, addUsedSchema: false, logger: false } as const
/** Faults reported; a long list may have thousands. */
const MAX_FAULTS = 5

export async function compileCheck(schema: Schema): Promise<CompiledCheck> {
  const [named, older] = dialectsOf(schema["$schema"])
  if (named === undefined)
    return { kind: "broken", reason: "its $schema is neither draft 2020-12 nor draft-07 of JSON Schema" }
  if (schema["$async"] !== undefined) return { kind: "broken", reason: "$async schemas are not supported" }
  const first = await compileIn(named, schema)
  const second = first.kind === "broken" && older !== undefined ? await compileIn(older, schema) : first
  return second.kind === "check" ? second : first
}

/** Without $schema it may be either; the newer one is tried first. */
function dialectsOf(declared: JsonValue | undefined): readonly Dialect[] {
  if (declared === undefined) return ["2020-12", "draft-07"]
  if (typeof declared !== "string") return []
  if (/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/.test(declared)) return ["2020-12"]
  return /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/.test(declared) ? ["draft-07"] : []
}

async function compileIn(dialect: Dialect, schema: Schema): Promise<CompiledCheck> {
  const { $schema: _, ...body } = schema // the dialect is chosen; http and https name the same one
  try {
    return { kind: "check", check: checkWith((await loaded(dialect)).compile(body)) }
  } catch (fault) {
    return { kind: "broken", reason: messageOf(fault) }
  }
}

const compilers = new Map<Dialect, Promise<Ajv>>()

function loaded(dialect: Dialect): Promise<Ajv> {
  const compiler = compilers.get(dialect) ?? load(dialect)
  compilers.set(dialect, compiler)
  return compiler
}

async function load(dialect: Dialect): Promise<Ajv> {
  if (dialect === "draft-07") return new (await import("ajv")).Ajv(options)
  return new (await import("ajv/dist/2020.js")).Ajv2020(options)
}

function checkWith(validate: ValidateFunction): Check<JsonValue> {
  const check: Check<JsonValue> = (value): value is JsonValue => {
    const fits = isJson(value) && validate(value)
    check.errors = fits ? null : (validate.errors ?? []).slice(0, MAX_FAULTS).map(faultOf)
    return fits
  }
  return check
}

function faultOf({ instancePath, keyword, params, message = "does not fit" }: ErrorObject): Fault {
  return { instancePath, keyword, params, message }
}
