// Fields of a JSON object by kind. A field of another kind counts as missing, as peers of this protocol expect.
import { isJsonObject, memberIn, type JsonObject } from "../../contract/json-object.ts"
import type { JsonValue } from "../../contract/values.ts"

export class Fields {
  readonly #object: JsonObject

  constructor(object: JsonObject) {
    this.#object = object
  }

  static of(value: JsonValue | undefined): Fields | undefined {
    return isJsonObject(value) ? new Fields(value) : undefined
  }

  get(name: string): JsonValue | undefined {
    return memberIn(this.#object, name)
  }

  text(name: string): string | undefined {
    const value = this.get(name)
    return typeof value === "string" ? value : undefined
  }

  /** Trimmed; a blank string counts as missing. */
  string(name: string): string | undefined {
    return this.text(name)?.trim() || undefined
  }

  boolean(name: string): boolean | undefined {
    const value = this.get(name)
    return typeof value === "boolean" ? value : undefined
  }

  number(name: string): number | undefined {
    const value = this.get(name)
    return typeof value === "number" ? value : undefined
  }

  array(name: string): readonly JsonValue[] | undefined {
    const value = this.get(name)
    return Array.isArray(value) ? value : undefined
  }

  object(name: string): Fields | undefined {
    return Fields.of(this.get(name))
  }
}
