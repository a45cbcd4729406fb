import { expect, it } from "vitest"
import { fuzzyFilter, fuzzyScore } from "./fuzzy.ts"

const files = ["src/refund.ts", "src/refund.test.ts", "docs/refunds.md", "README.md"]
const found = (query: string) => fuzzyFilter(files, query, (file) => file, 10)

it("finds letters in their order, wherever they are", () => {
  expect(found("srt")).toEqual(["src/refund.ts", "src/refund.test.ts"])
  expect(fuzzyScore("xyz", "src/refund.ts")).toBeUndefined()
})

it("prefers whole words and short texts", () => {
  expect(found("refund")[0]).toBe("src/refund.ts")
})

it("ignores upper and lower case, and keeps the order without a query", () => {
  expect(found("readme")).toEqual(["README.md"])
  expect(found("")).toEqual(files)
})
