import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { InputParser, keyName, MAX_PASTE, type InputEvent } from "./parse-input.ts"

function described(event: InputEvent): string {
  switch (event.kind) {
    case "key":
      return keyName(event.key)
    case "text":
      return `'${event.text}'`
    case "paste":
      return `paste '${event.text}'`
    case "wheel":
      return `wheel ${event.lines}`
    case "focus":
      return `focus ${event.hasFocus}`
    case "reply":
      return `reply ${event.text.length}`
  }
}

function read(...chunks: readonly string[]): readonly string[] {
  const parser = new InputParser()
  return [...chunks.flatMap((chunk) => parser.feed(chunk)), ...parser.flush()].map(described)
}

describe("keys", () => {
  it.each([
    ["a", ["'a'"]],
    ["äöü", ["'äöü'"]],
    ["\r", ["return"]],
    ["\n", ["ctrl-j"]],
    ["\u007f", ["backspace"]],
    ["\u0003", ["ctrl-c"]],
    ["\u001b", ["escape"]],
    ["\u001b\u001b", ["escape", "escape"]],
    ["\u001b\r", ["alt-return"]],
    ["\u001bb", ["alt-b"]],
    ["\u001b[A", ["up"]],
    ["\u001bOA", ["up"]],
    ["\u001b[1;5C", ["ctrl-right"]],
    ["\u001b[1;3D", ["alt-left"]],
    ["\u001b[3~", ["delete"]],
    ["\u001b[5~", ["pageup"]],
    ["\u001b[Z", ["shift-tab"]],
    ["\u001b[13;2u", ["shift-return"]],
    ["\u001b[27;2;13~", ["shift-return"]],
    ["\u001b[27u", ["escape"]],
    ["\u001b[99;5u", ["ctrl-c"]],
    ["\u001b[97;1:3u", []],
    ["\u001b[<64;10;5M", ["wheel -3"]],
    ["\u001b[<65;10;5M", ["wheel 3"]],
    ["\u001b[<0;10;5M", []],
    ["\u001b[I", ["focus true"]],
    ["\u001b]11;rgb:0000/0000/0000\u0007", ["reply 24"]],
    ["\u001b[?62;4c", ["reply 8"]],
    ["\u001b[6;20;10t", ["reply 10"]],
    ["\u001b_Gi=31;OK\u001b\\", ["reply 12"]],
    ["\u001bP>|kitty(0.35)\u001b\\a", ["reply 17", "'a'"]],
  ])("%j is %j", (input, keys) => {
    expect(read(input)).toEqual(keys)
  })

  it("takes a sequence that comes in pieces", () => {
    expect(read("\u001b", "[", "1;5", "C")).toEqual(["ctrl-right"])
  })
})

describe("a paste", () => {
  it("is one block, whatever keys it has", () => {
    expect(read("\u001b[200~a\r\nb\u001b[A\u0003", "c\u001b[20", "1~d")).toEqual(["paste 'a\nb\u001b[A\u0003c'", "'d'"])
  })

  it("is bounded", () => {
    const parser = new InputParser()
    const [paste] = parser.feed(`\u001b[200~${"x".repeat(MAX_PASTE + 10)}\u001b[201~`)
    expect(paste?.kind === "paste" && paste.text.length).toBe(MAX_PASTE)
  })
})

it("reads the same however the input is cut, and never waits for ever", () => {
  const pieces = fc.constantFrom(
    "a",
    "\u001b[A",
    "\u001b[200~x\u001b[201~",
    "\r",
    "\u001b]0;t\u0007",
    "日",
    "\u001b[1;2B",
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 8 }), fc.nat(), (parts, cut) => {
      const all = parts.join("")
      const at = all.length === 0 ? 0 : cut % all.length
      const joined = (events: readonly string[]) => events.join("").replaceAll("''", "")
      expect(joined(read(all.slice(0, at), all.slice(at)))).toBe(joined(read(all)))
    }),
  )
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (noise) => {
      const parser = new InputParser()
      parser.feed(noise)
      for (let count = 0; count < noise.length && parser.isWaiting; count += 1) parser.flush()
      expect(parser.isWaiting).toBe(false)
    }),
  )
})
