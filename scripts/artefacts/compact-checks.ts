// Compiles JSON Schemas to functions that answer yes or no, as code that imports nothing. ajv's functions also collect
// what is wrong, which makes them ten times as long, and their length is what a start of the program pays for.
// Equal parts of all schemas become one function. A keyword that is not known here is an error, never ignored.

export type JsonSchema = Readonly<Record<string, unknown>>

/** Keywords that do not restrict a value. `format` is documentation: the pattern beside it is what counts. */
const annotations = new Set(["$schema", "title", "description", "version", "readOnly", "format", "discriminator"])

/** Statements that declare one function per name: `check_NAME(value)`. With defaults, absent fields get theirs. */
export function compactChecks(schemas: ReadonlyMap<string, JsonSchema>, withDefaults = false): string {
  const compiler = new Compiler(withDefaults)
  const exported = [...schemas].map(
    ([name, schema]) => `export const ${name} = (v) => ${compiler.test(schema, "v")};\n`,
  )
  return isObjectSource + compiler.declarations.join("") + exported.join("")
}

const isObjectSource = `const o = (v) => typeof v === "object" && v !== null && !Array.isArray(v);\n`

class Compiler {
  /** In the order in which they must be evaluated: a function stands behind those it uses. */
  readonly declarations: string[] = []
  /** Source of a declaration, and its name. */
  readonly #names = new Map<string, string>()
  readonly #withDefaults: boolean

  constructor(withDefaults: boolean) {
    this.#withDefaults = withDefaults
  }

  /** An expression that is true where `value`, the source of an expression without effects, fits. */
  test(schema: JsonSchema, value: string): string {
    const known = this.#testOf(schema, value)
    const used = new Set([...known.keywords, ...annotations, "default"])
    const unknown = Object.keys(schema).find((keyword) => !used.has(keyword))
    if (unknown !== undefined) throw new Error(`cannot compile '${unknown}' of ${JSON.stringify(schema)}`)
    return known.source
  }

  #testOf(schema: JsonSchema, value: string): { source: string; keywords: readonly string[] } {
    if ("const" in schema) return { source: equals(value, [schema["const"]]), keywords: ["const", "type"] }
    if (Array.isArray(schema["enum"])) return { source: equals(value, schema["enum"]), keywords: ["enum", "type"] }
    const options = schema["anyOf"] ?? schema["oneOf"]
    if (Array.isArray(options)) return { source: this.#call(schema, value), keywords: ["anyOf", "oneOf", "type"] }
    const { type, ...rest } = schema
    if (Array.isArray(type)) {
      // A keyword for one type does not restrict a value of another: null has none.
      const tests = type.map((each) => this.test(each === "null" ? { type: each } : { ...rest, type: each }, value))
      return { source: `(${tests.join(" || ")})`, keywords: Object.keys(schema) }
    }
    switch (type) {
      case undefined:
        return { source: "true", keywords: [] }
      case "null":
        return { source: `${value} === null`, keywords: ["type"] }
      case "boolean":
        return { source: `typeof ${value} === "boolean"`, keywords: ["type"] }
      case "string":
        return { source: this.#string(schema, value), keywords: ["type", "minLength", "maxLength", "pattern"] }
      case "number":
      case "integer":
        return { source: number(schema, value), keywords: ["type", "minimum", "maximum", "exclusiveMinimum"] }
      case "array":
        return { source: this.#array(schema, value), keywords: ["type", "items", "minItems", "maxItems"] }
      case "object":
        return { source: this.#call(schema, value), keywords: objectKeywords }
      default:
        throw new Error(`cannot compile ${JSON.stringify(schema)}`)
    }
  }

  /** A call of a function of its own: equal objects and unions share one. */
  #call(schema: JsonSchema, value: string): string {
    const body = schema["type"] === "object" ? this.#object(schema) : this.#union(schema)
    return `${this.#declare(`(v) => ${body}`)}(${value})`
  }

  #declare(source: string): string {
    const known = this.#names.get(source)
    if (known !== undefined) return known
    const name = `c${this.#names.size}`
    this.#names.set(source, name)
    this.declarations.push(`const ${name} = ${source};\n`)
    return name
  }

  #string(schema: JsonSchema, value: string): string {
    const bounds = { minLength: `${value}.length >=`, maxLength: `${value}.length <=` }
    const tests = [`typeof ${value} === "string"`, ...within(schema, bounds)]
    const { pattern } = schema
    if (typeof pattern === "string") {
      const expression = this.#declare(`new RegExp(${JSON.stringify(pattern)}, "u")`)
      tests.push(`${expression}.test(${value})`)
    }
    return all(tests)
  }

  #array(schema: JsonSchema, value: string): string {
    const bounds = { minItems: `${value}.length >=`, maxItems: `${value}.length <=` }
    const tests = [`Array.isArray(${value})`, ...within(schema, bounds)]
    const { items } = schema
    if (isSchema(items)) tests.push(`${value}.every((i) => ${this.test(items, "i")})`)
    return all(tests)
  }

  #object(schema: JsonSchema): string {
    const properties = isSchema(schema["properties"]) ? Object.entries(schema["properties"]) : []
    const required = Array.isArray(schema["required"]) ? schema["required"] : []
    const tests = ["o(v)"]
    for (const [key, property] of properties) {
      if (!isSchema(property)) throw new Error(`cannot compile the property ${key}`)
      tests.push(this.#property(key, property, required.includes(key)))
    }
    const rest = this.#rest(schema, properties)
    if (rest !== undefined) tests.push(rest)
    return all(tests)
  }

  #property(key: string, property: JsonSchema, isRequired: boolean): string {
    const value = `v[${JSON.stringify(key)}]`
    const test = this.test(property, value)
    if (isRequired) return test === "true" ? `${value} !== undefined` : test
    if (!this.#withDefaults || !("default" in property))
      return test === "true" ? test : `(${value} === undefined || ${test})`
    // The default itself is completed by the defaults of its own fields.
    return `(${value} === undefined && (${value} = ${JSON.stringify(property["default"])}), ${test})`
  }

  /** What is demanded of the keys that are not listed, and of all keys. */
  #rest(
    { additionalProperties, propertyNames }: JsonSchema,
    properties: readonly [string, unknown][],
  ): string | undefined {
    const tests: string[] = []
    if (isSchema(propertyNames)) tests.push(this.test(propertyNames, "k"))
    if (additionalProperties === false || isSchema(additionalProperties)) {
      const other = additionalProperties === false ? "false" : this.test(additionalProperties, "v[k]")
      const listed = properties.map(([key]) => key)
      tests.push(listed.length === 0 ? other : `(${equals("k", listed)} || ${other})`)
    }
    const demands = tests.filter((test) => test !== "true")
    return demands.length === 0 ? undefined : `Object.keys(v).every((k) => ${all(demands)})`
  }

  #union({ anyOf, oneOf }: JsonSchema): string {
    const options = [anyOf, oneOf].flat().filter(isSchema)
    const tests = options.map((option) => `(${this.test(option, "v")})`)
    if (oneOf === undefined || areDistinct(options)) return tests.join(" || ")
    return `[${tests.join(", ")}].filter(Boolean).length === 1`
  }
}

const objectKeywords = ["type", "properties", "required", "additionalProperties", "propertyNames"]

/** Whether at most one of them can fit, because a required field has another constant in each. */
function areDistinct(options: readonly JsonSchema[]): boolean {
  const constants = options.map(({ properties, required }) => {
    const named = isSchema(properties) && Array.isArray(required) ? Object.entries(properties) : []
    return new Map(
      named.flatMap(([key, value]) => (isSchema(value) && "const" in value ? [[key, value["const"]]] : [])),
    )
  })
  const [first] = constants
  return [...(first?.keys() ?? [])].some((key) => {
    const found = new Set(constants.map((each) => each.get(key)))
    return found.size === options.length && !found.has(undefined)
  })
}

function number(schema: JsonSchema, value: string): string {
  const { type, minimum, maximum } = schema
  if (type === "integer" && minimum === Number.MIN_SAFE_INTEGER && maximum === Number.MAX_SAFE_INTEGER) {
    return `Number.isSafeInteger(${value})`
  }
  const kind = type === "integer" ? `Number.isInteger(${value})` : `Number.isFinite(${value})`
  const bounds = { minimum: `${value} >=`, maximum: `${value} <=`, exclusiveMinimum: `${value} >` }
  return all([kind, ...within(schema, bounds)])
}

/** A comparison for each keyword of the table that the schema has. */
function within(schema: JsonSchema, bounds: Readonly<Record<string, string>>): string[] {
  return Object.entries(bounds).flatMap(([keyword, comparison]) => {
    const limit = schema[keyword]
    return typeof limit === "number" ? [`${comparison} ${limit}`] : []
  })
}

function equals(value: string, choices: readonly unknown[]): string {
  const tests = choices.map((choice) => `${value} === ${JSON.stringify(choice)}`)
  return tests.length === 1 ? tests.join() : `(${tests.join(" || ")})`
}

function all(tests: readonly string[]): string {
  const demands = tests.filter((test) => test !== "true")
  return demands.length === 0 ? "true" : demands.join(" && ")
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
