import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { decodedText, encodedText, encodingsOf, type Encoding } from "./encoding.ts"

const text = "Grüße, naïve café: ½ – “so”\r\nzweite Zeile\n"

describe("the encoding of a file", () => {
  it.each<[string, Buffer, Encoding]>([
    ["UTF-8", Buffer.from(text), { label: "utf-8", hasMark: false }],
    ["UTF-8 with a mark", Buffer.from(`\ufeff${text}`), { label: "utf-8", hasMark: true }],
    ["UTF-16 LE with a mark", Buffer.from(`\ufeff${text}`, "utf16le"), { label: "utf-16le", hasMark: true }],
    ["UTF-16 BE with a mark", Buffer.from(`\ufeff${text}`, "utf16le").swap16(), { label: "utf-16be", hasMark: true }],
    ["UTF-16 LE without a mark", Buffer.from(text, "utf16le"), { label: "utf-16le", hasMark: false }],
    ["UTF-16 BE without a mark", Buffer.from(text, "utf16le").swap16(), { label: "utf-16be", hasMark: false }],
  ])("is recognised and kept: %s", (_, bytes, encoding) => {
    const decoded = decodedText(bytes)
    expect(decoded?.encoding).toEqual(encoding)
    expect(decoded?.text.replace(/^\ufeff/, "")).toBe(text)
    expect(encodedText(decoded?.text ?? "", encoding)).toEqual({ kind: "bytes", bytes })
  })

  it("is Windows-1252 for text that is not UTF-8, and keeps its bytes", () => {
    const bytes = Buffer.from("caf\u00e9 \u0093so\u0094 \u0080 5\n", "latin1")
    const decoded = decodedText(bytes)
    expect(decoded).toEqual({ text: "café “so” € 5\n", encoding: { label: "windows-1252", hasMark: false } })
    expect(encodedText("café “so” € 5\n", { label: "windows-1252", hasMark: false })).toEqual({ kind: "bytes", bytes })
  })

  it("names the first character that Windows-1252 does not have", () => {
    const encoding = { label: "windows-1252", hasMark: false } as const
    expect(encodedText("a → b", encoding)).toEqual({ kind: "no", character: "→" })
  })

  it.each([
    ["NUL in the text", Buffer.from("a\0b")],
    ["control characters", Buffer.from([0xe9, 0x01, 0x02])],
    ["half a UTF-16 unit", Buffer.from([0xff, 0xfe, 0x41])],
  ])("is none for binary data: %s", (_, bytes) => {
    expect(decodedText(bytes)).toBeUndefined()
  })

  it("is UTF-8 for every text without NUL, whatever its characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (any) => {
        fc.pre(!any.includes("\0") && !any.startsWith("\ufeff"))
        expect(encodingsOf(Buffer.from(any))[0]?.label).toBe("utf-8")
        expect(decodedText(Buffer.from(any))?.text).toBe(any)
      }),
    )
  })
})
