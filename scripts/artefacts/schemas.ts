// Tables of schemas by name, and the JSON Schema files made from them.
import { z } from "zod"

export type Schemas = ReadonlyMap<string, z.ZodType>
/** Path and text of a generated file. */
export type Artefact = readonly [path: string, text: string]

/** The members of a union, by the literal in the field `tag`. */
export function byTag(options: readonly z.ZodObject[], tag: string): Schemas {
  const found = new Map<string, z.ZodType>()
  for (const option of options) {
    const name = z.string().parse(z.toJSONSchema(option.shape[tag] ?? z.never())["const"])
    if (found.has(name)) throw new Error(`${name} is declared twice`)
    found.set(name, option)
  }
  return found
}

/** The schemas of a table of queries or commands, with `type` as a field. */
export function withType(table: Readonly<Record<string, { readonly fields: z.ZodRawShape }>>): Schemas {
  return new Map(
    Object.entries(table).map(([type, { fields }]) => [
      type,
      z.object({ type: z.literal(type), ...fields }).meta({ title: type }),
    ]),
  )
}

export function jsonSchema(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { unrepresentable: "any", io: "input" })
  return rest
}

export function jsonSchemas(schemas: Schemas): Record<string, unknown> {
  return Object.fromEntries([...schemas].map(([name, schema]) => [name, jsonSchema(schema)]))
}

export function pretty(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

/** A JSON Schema for values of which each is one of `schemas`. */
export function unionFile(name: string, title: string, schemas: Schemas): Artefact {
  const oneOf = [...schemas.values()].map(jsonSchema)
  const schema = { $schema: "https://json-schema.org/draft/2020-12/schema", title, oneOf }
  return [`spec/schemas/${name}.json`, pretty(schema)]
}

/** A JSON Schema for each name. */
export function tableFile(name: string, schemas: Schemas): Artefact {
  return [`spec/schemas/${name}.json`, pretty(jsonSchemas(schemas))]
}
