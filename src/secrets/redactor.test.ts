import { createHmac } from "node:crypto"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { formsOf } from "./forms.ts"
import { holdsPlaceholder } from "../contract/text/placeholder.ts"
import { createRedactor, LateSecrets } from "./redactor.ts"

const key = Buffer.alloc(32, 7)
const token = 'q9/Zr+T2<x>"L\\ö-4vKw8'

function redactorFor(...values: string[]) {
  return createRedactor({ secrets: values.map((value, at) => ({ name: `S${at}`, value })), key })
}

function placeholder(name: string, value: string): string {
  return `‹redacted:${name}:${createHmac("sha256", key).update(value).digest("hex").slice(0, 4)}›`
}

function base64Of(...parts: string[]): string {
  return Buffer.from(parts.join("")).toString("base64")
}

function inPieces(redactor: ReturnType<typeof redactorFor>, text: string, cuts: readonly number[]): string {
  const stream = redactor.stream()
  const places = [...cuts.map((cut) => cut % (text.length + 1)), 0, text.length].toSorted((a, b) => a - b)
  const pieces = places.map((place, at) => text.slice(places[at - 1] ?? 0, place))
  return pieces.map((piece) => stream.push(piece)).join("") + stream.end()
}

describe("a secret", () => {
  it("becomes a placeholder with its name and the first four digits of its keyed digest", () => {
    expect(redactorFor(token).text(`before ${token} after`)).toBe(`before ${placeholder("S0", token)} after`)
  })

  it.each([
    ["JSON", JSON.stringify(token).slice(1, -1)],
    ["JSON with escaped slashes", JSON.stringify(token).slice(1, -1).replaceAll("/", "\\/")],
    ["JSON of ASCII alone", JSON.stringify(token).slice(1, -1).replaceAll("ö", "\\u00f6")],
    ["JSON inside JSON", JSON.stringify(JSON.stringify(token)).slice(3, -3)],
    ["an address", encodeURIComponent(token)],
    ["an address in lower case", encodeURIComponent(token).replaceAll(/%../g, (hex) => hex.toLowerCase())],
    ["a form", new URLSearchParams({ a: token }).toString().slice(2)],
    ["base64", base64Of(token)],
    ["base64 without padding", base64Of(token).replaceAll("=", "")],
    ["base64url", Buffer.from(token).toString("base64url")],
    ["base64 in an address", encodeURIComponent(base64Of(token))],
  ])("is found as %s", (_, spelled) => {
    expect(redactorFor(token).text(`[${spelled}]`)).toBe(`[${placeholder("S0", token)}]`)
  })

  it.each(["", "a", "ab", "abc", "user:"])("is found inside larger base64 after '%s'", (before) => {
    const encoded = base64Of(before, token, " and more")
    const first = Math.ceil((before.length * 8) / 6)
    const end = Math.floor(((before.length + Buffer.byteLength(token)) * 8) / 6)
    expect(redactorFor(token).text(encoded)).toBe(
      encoded.slice(0, first) + placeholder("S0", token) + encoded.slice(end),
    )
  })

  it("does not show its own value as the name", () => {
    const redactor = createRedactor({ secrets: [{ name: "my-own-name", value: "my-own-name" }], key })
    expect(redactor.text("it is my-own-name")).toMatch(/^it is ‹redacted:secret:[0-9a-f]{4}›$/)
  })

  it("that is shorter than eight characters, or a word of every placeholder, is left alone", () => {
    const redactor = redactorFor("", "x", "sevenly", "redacted")
    expect(redactor.text("x sevenly redacted")).toBe("x sevenly redacted")
  })

  it("with half a surrogate pair is found all the same", () => {
    expect(redactorFor("broken\ud800half").text("<broken\ud800half>")).not.toContain("broken")
  })
})

describe("overlapping secrets", () => {
  it("are covered whole, each with its placeholder", () => {
    const text = redactorFor("abcdefghijkl", "ghijklmnopqr").text("-abcdefghijklmnopqr-")
    expect(text).toBe(`-${placeholder("S0", "abcdefghijkl")}${placeholder("S1", "ghijklmnopqr")}-`)
  })

  it("of one kind are one placeholder", () => {
    expect(redactorFor("ababababab").text("-ababababababab-")).toBe(`-${placeholder("S0", "ababababab")}-`)
  })

  it("give way to the longer one when one contains the other", () => {
    const url = "postgres://app:hunter2hunter2@db/app"
    expect(redactorFor("hunter2hunter2", url).text(url)).toBe(placeholder("S1", url))
  })
})

describe("a stream", () => {
  it("holds back only what could still become a secret", () => {
    const stream = redactorFor("abcdefghijkl").stream()
    expect(stream.push("hello ")).toBe("hello ")
    expect(stream.push("abcdef")).toBe("")
    expect(stream.push("gh?")).toBe("abcdefgh?")
    expect(stream.push("abcdefghijk")).toBe("")
    expect(stream.push("l!")).toBe(`${placeholder("S0", "abcdefghijkl")}!`)
    expect(stream.end()).toBe("")
  })

  it("gives out the beginning of a secret that never came when it ends, and starts afresh", () => {
    const stream = redactorFor("abcdefghijkl").stream()
    expect(stream.push("abcdef")).toBe("")
    expect(stream.end()).toBe("abcdef")
    expect(stream.push("ghijkl ")).toBe("ghijkl ")
  })
})

describe("JSON", () => {
  it("keeps its structure; strings and keys are redacted", () => {
    const value = { list: [1, null, true, `a ${token}`], [token]: { deep: token }, plain: "x" }
    const hidden = placeholder("S0", token)
    expect(redactorFor(token).json(value)).toEqual({
      list: [1, null, true, `a ${hidden}`],
      [hidden]: { deep: hidden },
      plain: "x",
    })
  })

  it("without a secret comes back as the same value", () => {
    const value = { a: [1, { b: "text" }], c: null }
    expect(redactorFor(token).json(value)).toBe(value)
  })

  it("loses no entry when two keys spell the same secret", () => {
    const hidden = placeholder("S0", token)
    expect(redactorFor(token).json({ [token]: 1, [base64Of(token)]: 2 })).toEqual({ [hidden]: 1, [`${hidden}#2`]: 2 })
  })

  it("is known to hold a secret wherever it stands", () => {
    const redactor = redactorFor(token)
    expect(redactor.holds({ a: [{ b: `x${token}` }] })).toBe(true)
    expect(redactor.holds({ [token]: 1 })).toBe(true)
    expect(redactor.holds({ a: [{ b: "x" }], c: 1 })).toBe(false)
  })
})

describe("for any secrets, any text and any cuts", () => {
  const secret = fc.string({ unit: "grapheme", minLength: 8, maxLength: 40 }).filter((value) => value.length >= 8)
  const asciiSecret = fc.string({ unit: "grapheme-ascii", minLength: 8, maxLength: 40 })
  const secrets = fc.uniqueArray(fc.oneof(secret, asciiSecret), { minLength: 1, maxLength: 6 })
  const cuts = fc.array(fc.nat(5000), { maxLength: 30 })
  /** Text around the secrets, in letters that no form of them uses. */
  const around = fc.string({ unit: fc.constantFrom("Ⴀ", "Ⴁ", "Ⴂ", "Ⴃ"), maxLength: 12 })
  const pick = fc.record({ before: around, owner: fc.nat(), form: fc.nat() })

  function spelled(values: readonly string[], picks: readonly { before: string; owner: number; form: number }[]) {
    return picks.map(({ before, owner, form }) => {
      const value = values[owner % values.length] ?? ""
      const forms = formsOf(value)
      return { before, value, form: forms[form % forms.length] ?? value }
    })
  }

  it("no form survives and everything else stays as it was", () => {
    fc.assert(
      fc.property(secrets, fc.array(pick, { maxLength: 8 }), around, (values, picks, after) => {
        fc.pre(!values.some((value) => /[Ⴀ-Ⴥ]/.test(value)))
        const redactor = redactorFor(...values)
        const parts = spelled(values, picks)
        const scrubbed = redactor.text(parts.map(({ before, form }) => `${before}Ⴆ${form}`).join("") + `Ⴆ${after}`)
        for (const form of values.flatMap(formsOf)) expect(scrubbed.includes(form)).toBe(false)
        const rest = scrubbed.replaceAll(/(‹redacted:S\d:[0-9a-f]{4}›)+/g, "")
        expect(rest).toBe(parts.map(({ before }) => `${before}Ⴆ`).join("") + `Ⴆ${after}`)
      }),
      { numRuns: 400 },
    )
  })

  it("text that comes in pieces gives the same result as the whole", () => {
    const noise = fc.string({ unit: "grapheme", maxLength: 30 })
    fc.assert(
      fc.property(secrets, fc.array(fc.tuple(pick, noise)), cuts, (values, picks, where) => {
        const redactor = redactorFor(...values)
        const parts = spelled(
          values,
          picks.map(([one]) => one),
        )
        const text = parts
          .map(({ form }, at) => form.slice(0, form.length - (at % 3)) + (picks[at]?.[1] ?? ""))
          .join("")
        expect(inPieces(redactor, text, where)).toBe(redactor.text(text))
      }),
      { numRuns: 400 },
    )
  })

  it("secrets that contain, overlap and repeat each other are scrubbed the same in pieces", () => {
    const base = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 16, maxLength: 24 })
    const slice = fc.tuple(fc.nat(8), fc.integer({ min: 8, max: 20 }))
    const slices = fc.array(slice, { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(base, slices, slices, cuts, (whole, secretAt, textAt, where) => {
        const values = secretAt.map(([from, length]) => whole.slice(from, from + length))
        const text = textAt.map(([from, length]) => whole.slice(from, from + length)).join("")
        const redactor = redactorFor(...values)
        const scrubbed = redactor.text(text)
        for (const value of values) expect(scrubbed.includes(value)).toBe(false)
        expect(inPieces(redactor, text, where)).toBe(scrubbed)
      }),
      { numRuns: 500 },
    )
  })

  it("a placeholder is recognised as one, whatever the name, and redacting twice changes nothing", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), asciiSecret, (name, value) => {
        const redactor = createRedactor({ secrets: [{ name, value }], key })
        const scrubbed = redactor.text(`a ${value} b`)
        expect(holdsPlaceholder(scrubbed)).toBe(true)
        expect(redactor.text(scrubbed)).toBe(scrubbed)
      }),
    )
  })
})

describe("the words of a placeholder", () => {
  it("alone do not make one", () => {
    expect(holdsPlaceholder("‹redacted› and <redacted:A:1234> and ‹redacted:A:12›")).toBe(false)
  })
})

describe("a secret that is learned later", () => {
  it("is redacted from then on, also by a stream that is open", () => {
    const late = new LateSecrets()
    const redactor = createRedactor({ secrets: [], late, key: new Uint8Array(32) })
    const stream = redactor.stream()
    expect(stream.push("late-secret-1 ")).toBe("late-secret-1 ")
    late.learn({ name: "KEY", value: "late-secret-1" })
    late.learn({ name: "SHORT", value: "abc" })
    expect(redactor.text("a late-secret-1 abc")).toMatch(/^a ‹redacted:KEY:[0-9a-f]{4}› abc$/)
    expect(stream.push("late-secret-1") + stream.end()).toMatch(/^‹redacted:KEY:[0-9a-f]{4}›$/)
    late.learn({ name: "OTHER", value: "late-secret-2" })
    expect(redactor.holds(["late-secret-2"])).toBe(true)
  })
})
