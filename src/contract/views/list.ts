// Building blocks of the schemas of views.
import { z } from "zod"

/** A read-only list. */
export function list<Item extends z.ZodType>(item: Item) {
  return z.array(item).readonly()
}

/** Objects distinguished by one field. The checker tries only the variant that the field names. */
export function variants<
  Field extends string,
  Options extends readonly [z.core.$ZodTypeDiscriminable, ...z.core.$ZodTypeDiscriminable[]],
>(field: Field, options: Options) {
  return z.discriminatedUnion(field, options).meta({ discriminator: { propertyName: field } })
}
