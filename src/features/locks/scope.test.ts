import { resolve } from "node:path"
import fc from "fast-check"
import { expect, it } from "vitest"
import { canonicalScope, contains, overlap } from "./scope.ts"

const real = (path: string) => resolve("/home", path)

it.each([
  ["global", "global"],
  ["GLOBAL", "global"],
  ["/p/", "/p"],
  ["/p/../q", "/q"],
  [".", "/home"],
  ["./x", "/home/x"],
  ["a name", "a name"],
  ["globals", "globals"],
  ["", ""],
  ["/p\0", "/p\0"],
])("%j is the scope %j", (scope, canonical) => {
  expect(canonicalScope(scope, real)).toBe(canonical)
})

it.each([
  ["/p", "/p", true],
  ["/p", "/p/sub", true],
  ["/p", "/px", false],
  ["/p", "global", true],
  ["/", "/p", true],
  ["a", "a", true],
  ["a", "a/b", false],
  ["a", "global", true],
  ["a", "/a", false],
])("%s and %s overlap: %s, in both orders", (one, other, expected) => {
  expect(overlap(one, other)).toBe(expected)
  expect(overlap(other, one)).toBe(expected)
})

it("two folders overlap if one contains the other, compared by whole names", () => {
  const names = fc.array(fc.constantFrom("a", "b", "ab"), { maxLength: 4 })
  fc.assert(
    fc.property(names, names, (one, other) => {
      const shorter = one.length < other.length ? one : other
      const isPart = shorter.every((name, at) => one[at] === name && other[at] === name)
      const [first, second] = [`/${one.join("/")}`, `/${other.join("/")}`]
      expect(overlap(first, second)).toBe(isPart)
      expect(contains(first, second) || contains(second, first)).toBe(isPart)
    }),
  )
})
