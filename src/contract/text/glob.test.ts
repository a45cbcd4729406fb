import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { fitsGlob, globMatcher, MAX_PATH_GLOB } from "./glob.ts"

const letters = fc.constantFrom("a", "b", "/", "*", "?", "{", "}", ",", "[", "]", "!", "-", "\\", "^", "é", "😀")
const word = fc.array(letters, { maxLength: 10 }).map((parts) => parts.join(""))
const path = fc
  .array(fc.constantFrom("a", "b", "/", ",", "é", "😀", "-", "!"), { maxLength: 8 })
  .map((all) => all.join(""))

/** The same as a regular expression: right, but not linear. */
function textPattern(glob: string): RegExp {
  return new RegExp(
    `^${glob
      .split("*")
      .map((literal) => RegExp.escape(literal))
      .join(".*")}$`,
    "s",
  )
}

function pathPattern(glob: string): RegExp | undefined {
  let depth = 0
  const parts = Array.from(glob.matchAll(/(?:\*\*\/)+|\*+|\?|\[[!^]?\]?[^\]]*\]|\\.|[^]/gsu), ([token]) => {
    if (token === "{") depth++
    if (token === "}" && depth > 0) {
      depth--
      return ")"
    }
    return depth > 0 && token === "," ? "|" : translated(token)
  })
  try {
    return new RegExp(`^${parts.join("")}${")".repeat(depth)}$`, "su")
  } catch {
    return undefined
  }
}

function translated(token: string): string {
  if (token.startsWith("**/")) return "(?:.*/)?"
  if (token === "*") return "[^/]*"
  if (token.startsWith("*")) return ".*"
  if (token === "?") return "[^/]"
  if (token === "{") return "(?:"
  if (token.startsWith("[") && token.length > 1) {
    const inside = token.slice(1, -1)
    const isNegated = /^[!^]/.test(inside)
    return `${isNegated ? "(?!/)[^" : "["}${inside.slice(isNegated ? 1 : 0).replaceAll(/[\\[\]^]/g, "\\$&")}]`
  }
  return RegExp.escape(token.startsWith("\\") && token.length > 1 ? token.slice(1) : token)
}

describe("a pattern of the configuration", () => {
  it.each([
    ["", "", true],
    ["*", "", true],
    ["a*", "a", true],
    ["a*a", "a", false],
    ["a*b*c", "aXbXbc", true],
    ["*ab*ab", "abab", true],
    ["*ab*ab", "aab", false],
    ["read_*", "read_file\nmore", true],
    ["a.c", "abc", false],
    ["**", "any", true],
  ])("%j and %j: %s", (glob, text, expected) => {
    expect(fitsGlob(glob, text)).toBe(expected)
  })

  it("means the same as the regular expression", () => {
    fc.assert(
      fc.property(word, word, (glob, text) => {
        expect(fitsGlob(glob, text)).toBe(textPattern(glob).test(text))
      }),
      { numRuns: 5000 },
    )
  })

  // Backtracking needs more than 10^18 steps for each of these; without the bound the test never ends.
  it.each([
    ["*a*a*a*a*a*a*b", "a".repeat(3000)],
    [`${"*a".repeat(500)}*b`, "a".repeat(100_000)],
    [`*${"a".repeat(50_000)}b*`, "a".repeat(200_000)],
    [`*${"ab".repeat(10_000)}c*x`, "ab".repeat(200_000)],
  ])("is matched without backtracking (%#)", (glob, text) => {
    expect(fitsGlob(glob, text)).toBe(false)
  })
})

describe("a glob for paths", () => {
  it("means the same as the regular expression", () => {
    const slashless = word.filter((glob) => !/^\.?\//.test(glob))
    fc.assert(
      fc.property(slashless, path, (glob, given) => {
        const pattern = pathPattern(glob)
        const text = glob.includes("/") ? given : given.slice(given.lastIndexOf("/") + 1)
        expect(globMatcher(glob)?.(given)).toBe(pattern?.test(text))
      }),
      { numRuns: 5000 },
    )
  })

  it.each([
    ["*a*a*a*a*a*a*b", "a".repeat(3000)],
    [`${"*a".repeat(400)}b`, "a".repeat(4000)],
    [`${"{a,aa}".repeat(150)}b`, "a".repeat(3000)],
    [`${"**/a".repeat(200)}/b`, "a/".repeat(2000)],
    [`${"{".repeat(400)}a${"}".repeat(400)}b`, "a".repeat(3000)],
  ])("is matched without backtracking (%#)", (glob, text) => {
    expect(globMatcher(glob)?.(text)).toBe(false)
  })

  it("is refused beyond its length limit", () => {
    expect(globMatcher("a".repeat(MAX_PATH_GLOB))).toBeDefined()
    expect(globMatcher("a".repeat(MAX_PATH_GLOB + 1))).toBeUndefined()
  })

  it("keeps a bounded number of states for any number of paths", () => {
    const matches = globMatcher("*{a,b}*[0-9]?c*")
    for (let n = 0; n < 20_000; n++) matches?.(`${n}a${n}xc${String.fromCodePoint(n + 200)}`)
    expect(matches?.("1a11c")).toBe(true)
  })
})
