import { expect, it } from "vitest"
import { findByPrefix } from "./find-by-prefix.ts"

const ids = ["apr_aaaa1111", "apr_aaaa2222", "apr_bbbb3333", "apr_bbbb33334444"]

function find(wanted: string) {
  return findByPrefix(ids, "apr_", wanted, (id) => id)
}

it("finds one by its whole id, also when it is the beginning of another", () => {
  expect(find("apr_bbbb3333")).toEqual({ kind: "one", item: "apr_bbbb3333" })
})

it("finds one by a beginning that only it has, with or without the prefix", () => {
  expect(find("apr_aaaa1")).toEqual({ kind: "one", item: "apr_aaaa1111" })
  expect(find("aaaa2")).toEqual({ kind: "one", item: "apr_aaaa2222" })
})

it("names all that a beginning fits", () => {
  expect(find("aaaa")).toEqual({ kind: "several", items: ["apr_aaaa1111", "apr_aaaa2222"] })
})

it("takes no beginning of less than four characters, and no other part of an id", () => {
  expect(find("apr_")).toEqual({ kind: "none" })
  expect(find("aaa")).toEqual({ kind: "none" })
  expect(find("1111")).toEqual({ kind: "none" })
})
