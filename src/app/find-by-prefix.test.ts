import { expect, it } from "vitest"
import { findByPrefix } from "./find-by-prefix.ts"

const ids = ["apr_aaaa1111", "apr_aaaa2222", "apr_bbbb3333", "apr_bbbb33334444"]

function find(idOrPrefix: string) {
  return findByPrefix(ids, "apr_", idOrPrefix, (id) => id)
}

it("finds an item by its full id, even if that is a prefix of another id", () => {
  expect(find("apr_bbbb3333")).toEqual({ kind: "one", item: "apr_bbbb3333" })
})

it("finds an item by a unique prefix, with or without the type prefix", () => {
  expect(find("apr_aaaa1")).toEqual({ kind: "one", item: "apr_aaaa1111" })
  expect(find("aaaa2")).toEqual({ kind: "one", item: "apr_aaaa2222" })
})

it("returns all items that match a prefix", () => {
  expect(find("aaaa")).toEqual({ kind: "several", items: ["apr_aaaa1111", "apr_aaaa2222"] })
})

it("rejects prefixes under four characters and other parts of an id", () => {
  expect(find("apr_")).toEqual({ kind: "none" })
  expect(find("aaa")).toEqual({ kind: "none" })
  expect(find("1111")).toEqual({ kind: "none" })
})
