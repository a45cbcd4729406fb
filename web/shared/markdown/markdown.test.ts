import { lexer } from "marked"
import { describe, expect, it } from "vitest"
import { safeAddress } from "./safe-address.ts"
import { StreamParser } from "./stream-parser.ts"

const text = "# Title\n\nA **bold** word.\n\n- one\n- two\n\n```ts\nconst a = 1\n\nconst b = 2\n```\n\nThe end."

describe("Markdown that is being written", () => {
  it("has at its end the blocks of the whole text", () => {
    const parser = new StreamParser()
    for (let length = 1; length < text.length; length += 1) parser.parse(text.slice(0, length))
    const types = (tokens: readonly { readonly type: string; readonly raw: string }[]) =>
      tokens.filter(({ type }) => type !== "space").map(({ type, raw }) => [type, raw.trim()])
    expect(types(parser.parse(text))).toEqual(types(lexer(text)))
  })

  it("keeps the tokens of complete blocks", () => {
    const parser = new StreamParser()
    const [first] = parser.parse("# Title\n\nA paragraph")
    const later = parser.parse("# Title\n\nA paragraph that goes on")
    expect(later[0]).toBe(first)
    expect(later.at(-1)?.raw).toBe("A paragraph that goes on")
  })

  it("starts again where the text is another one", () => {
    const parser = new StreamParser()
    parser.parse("# Title\n\nA paragraph")
    expect(parser.parse("Other").map(({ raw }) => raw)).toEqual(["Other"])
  })
})

describe("the address of a link", () => {
  it.each(["https://example.org/a?b#c", "http://example.org/", "mailto:a@example.org"])("may be %s", (address) => {
    expect(safeAddress(address)).toBe(address)
  })

  it.each([
    "javascript:alert(1)",
    " JavaScript:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "//a",
    "/a",
    "",
  ])("may not be %j", (address) => {
    expect(safeAddress(address)).toBeUndefined()
  })
})
