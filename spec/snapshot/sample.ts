// One value for a schema: the same each time, with every field present.
import { z } from "zod"

type Schema = z.core.JSONSchema.JSONSchema | boolean

export function sampleOf(schema: z.ZodType): unknown {
  return sample(z.toJSONSchema(schema, { unrepresentable: "any", io: "input" }))
}

function sample(schema: Schema): unknown {
  if (typeof schema === "boolean") return "any"
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  const options = schema.anyOf ?? schema.oneOf
  if (options?.[0] !== undefined) return sample(options[0])
  switch (schema.type) {
    case "object":
      return Object.fromEntries(membersOf(schema))
    case "array":
      return [itemOf(schema)]
    case "string":
      return textOf(schema)
    case "integer":
    case "number":
      return Math.max(schema.minimum ?? 1, 1)
    case "boolean":
      return true
    case "null":
      return null
    default: // any JSON value
      return "any"
  }
}

function membersOf({ properties = {} }: z.core.JSONSchema.JSONSchema) {
  return Object.entries(properties).map(([name, schema]) => [name, sample(schema)] as const)
}

function itemOf({ items }: z.core.JSONSchema.JSONSchema): unknown {
  return items === undefined || Array.isArray(items) ? "any" : sample(items)
}

/** Every id with the same prefix is the same id, so that the samples of different events belong together. */
function textOf({ pattern, format }: z.core.JSONSchema.JSONSchema): string {
  if (format === "uuid") return "00000000-0000-4000-8000-000000000000"
  if (pattern?.startsWith("^[0-9a-f]{8}-") === true) return "00000000-0000-7000-8000-000000000000" // a session id
  const prefix = /^\^([a-z]+_)/.exec(pattern ?? "")?.[1]
  return prefix === undefined ? "text" : `${prefix}1`
}
