// Finds an item by a prefix of its id, with or without the type prefix of the id.
export type Found<Item> =
  | { readonly kind: "one"; readonly item: Item }
  | { readonly kind: "several"; readonly items: readonly Item[] }
  | { readonly kind: "none" }

/** Shorter prefixes match by accident. */
const shortest = 4

export function findByPrefix<Item>(
  items: readonly Item[],
  prefix: string,
  wanted: string,
  idOf: (item: Item) => string,
): Found<Item> {
  const beginning = wanted.startsWith(prefix) ? wanted : `${prefix}${wanted}`
  const exact = items.find((item) => idOf(item) === beginning)
  if (exact !== undefined) return { kind: "one", item: exact }
  if (beginning.length < prefix.length + shortest) return { kind: "none" }
  const fitting = items.filter((item) => idOf(item).startsWith(beginning))
  const [item, ...others] = fitting
  if (item === undefined) return { kind: "none" }
  return others.length > 0 ? { kind: "several", items: fitting } : { kind: "one", item }
}
