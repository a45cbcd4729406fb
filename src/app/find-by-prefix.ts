// Finds an item by a prefix of its id, with or without the type prefix of the id.
export type Found<Item> =
  | { readonly kind: "one"; readonly item: Item }
  | { readonly kind: "several"; readonly items: readonly Item[] }
  | { readonly kind: "none" }

/** Shorter prefixes match by accident. */
const MIN_PREFIX_LENGTH = 4

export function findByPrefix<Item>(
  items: readonly Item[],
  prefix: string,
  idOrPrefix: string,
  idOf: (item: Item) => string,
): Found<Item> {
  const fullPrefix = idOrPrefix.startsWith(prefix) ? idOrPrefix : `${prefix}${idOrPrefix}`
  const exact = items.find((item) => idOf(item) === fullPrefix)
  if (exact !== undefined) return { kind: "one", item: exact }
  if (fullPrefix.length < prefix.length + MIN_PREFIX_LENGTH) return { kind: "none" }
  const matches = items.filter((item) => idOf(item).startsWith(fullPrefix))
  const [item, ...others] = matches
  if (item === undefined) return { kind: "none" }
  return others.length > 0 ? { kind: "several", items: matches } : { kind: "one", item }
}
