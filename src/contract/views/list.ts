// Building blocks of the schemas of views.
import { z } from "zod"

/** A list that its reader must not change. */
export function list<Item extends z.ZodType>(item: Item) {
  return z.array(item).readonly()
}

/** Objects told apart by one field. Its checker looks at the member that the field names, not at all of them. */
export function variants<
  Field extends string,
  Options extends readonly [z.core.$ZodTypeDiscriminable, ...z.core.$ZodTypeDiscriminable[]],
>(field: Field, options: Options) {
  return z.discriminatedUnion(field, options).meta({ discriminator: { propertyName: field } })
}
