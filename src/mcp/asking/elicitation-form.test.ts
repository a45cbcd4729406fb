import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readAnswers } from "../../contract/rules/questions.ts"
import type { ElicitationAnswer } from "../../tools/tool.ts"
import { askForm, MAX_ATTEMPTS, readForm, type AskPerson, type FormResult } from "./elicitation-form.ts"

const { signal } = new AbortController()

function params(properties: object, required: readonly string[] = Object.keys(properties)) {
  return { message: "Please", requestedSchema: { type: "object", properties, required } }
}

/** A person who types these lines, one form after another, and what the person saw. */
function typing(...lines: readonly string[]) {
  const seen: Parameters<AskPerson>[0][] = []
  const ask: AskPerson = async (request): Promise<ElicitationAnswer> => {
    const read = readAnswers(request.questions, lines[seen.length] ?? "")
    seen.push(request)
    return read.kind === "ok" ? { kind: "answered", answers: read.answers } : { kind: "declined", reason: read.message }
  }
  return { ask, seen }
}

async function content(schema: object, typed: string, required?: readonly string[]): Promise<FormResult["content"]> {
  const { ask } = typing(typed)
  return (await askForm(ask, params({ field: schema }, required), signal)).content
}

describe("a field", () => {
  const color = { type: "string", enum: ["r", "g"], enumNames: ["Red", "Green"] }
  const size = {
    type: "string",
    oneOf: [
      { const: "s", title: "Small" },
      { const: "l", title: "Large" },
    ],
  }
  const days = { type: "array", items: { type: "string", enum: ["mon", "tue", "wed"] }, minItems: 1, maxItems: 2 }
  const titled = {
    type: "array",
    items: {
      anyOf: [
        { const: "m", title: "Monday" },
        { const: "t", title: "Tuesday" },
      ],
    },
  }

  it.each<[object, string, unknown]>([
    [{ type: "string" }, "hello", "hello"],
    [{ type: "string" }, "42", "42"],
    [{ type: "string", minLength: 2, maxLength: 3 }, "abc", "abc"],
    [{ type: "string", format: "email" }, "a@b.example", "a@b.example"],
    [{ type: "string", format: "uri" }, "https://example.com/", "https://example.com/"],
    [{ type: "string", format: "date" }, "2026-02-28", "2026-02-28"],
    [{ type: "string", format: "date-time" }, "2026-02-28T09:30:00+01:00", "2026-02-28T09:30:00+01:00"],
    [{ type: "number", minimum: 1, maximum: 2 }, "1.5", 1.5],
    [{ type: "integer" }, "-7", -7],
    [{ type: "boolean" }, "1", true],
    [{ type: "boolean" }, "no", false],
    [color, "2", "g"],
    [color, "red", "r"],
    [size, "Large", "l"],
    [days, "1, 3", ["mon", "wed"]],
    [titled, "Tuesday", ["t"]],
  ])("%j answered with %j is %j", async (schema, typed, value) => {
    expect(await content(schema, typed)).toEqual({ field: value })
  })

  it.each<[object, string, string]>([
    [{ type: "string", minLength: 2 }, "a", "has fewer than 2 characters"],
    [{ type: "string", maxLength: 2 }, "abc", "has more than 2 characters"],
    [{ type: "string", format: "email" }, "no address", "is not an email address"],
    [{ type: "string", format: "email" }, "a@b@c.d", "is not an email address"],
    [{ type: "string", format: "uri" }, "not one", "is not an address"],
    [{ type: "string", format: "date" }, "2026-06-31", "is not a date"],
    [{ type: "string", format: "date-time" }, "2026-06-30 10:00", "is not a time"],
    [{ type: "number", minimum: 1 }, "0", "is less than 1"],
    [{ type: "number", maximum: 1 }, "2", "is more than 1"],
    [{ type: "number" }, "many", "is not a number"],
    [{ type: "integer" }, "1.5", "is not a whole number"],
    [{ type: "boolean" }, "perhaps", "is none of the options"],
    [color, "blue", "is none of the options"],
    [days, "1,2,3", "takes at most 2 options"],
  ])("%j answered with %j is asked again: it %s", async (schema, typed, problem) => {
    const { ask, seen } = typing(typed, typed, typed)
    const result = await askForm(ask, params({ field: { ...schema, title: "It" } }), signal)
    expect(result).toMatchObject({ action: "cancel", _meta: { reason: expect.stringContaining(`It ${problem}`) } })
    expect(seen).toHaveLength(MAX_ATTEMPTS)
    expect(seen[1]?.message).toMatch(`Asked again: It ${problem}`)
  })

  it.each<[object, string]>([
    [{ ...color, default: "g" }, "Green"],
    [{ ...titled, default: ["m", "t"] }, "Monday, Tuesday"],
    [{ type: "boolean", default: false }, "No"],
    [{ type: "integer", default: 3 }, "3"],
    [{ type: "string", default: "x\ny" }, "x y"],
  ])("%j shows its default as people see values", async (schema, shown) => {
    const { ask, seen } = typing("-")
    await askForm(ask, params({ field: schema }), signal)
    expect(seen[0]?.questions[0]?.question).toContain(`- for the default: ${shown})`)
  })

  it("that is optional can be left empty, or takes its default", async () => {
    expect(await content({ type: "integer" }, "-", [])).toEqual({})
    expect(await content({ type: "integer", default: 3 }, "-", [])).toEqual({ field: 3 })
    expect(await content({ ...color, default: "g" }, "-")).toEqual({ field: "g" })
    expect(await content({ type: "string" }, "-")).toEqual({ field: "-" })
  })

  it("says what it wants", () => {
    const properties = { age: { type: "integer", title: "Age", description: "In years", minimum: 0 }, color }
    const form = readForm(params(properties, ["color"]))
    expect(form.kind === "form" && form.questions).toEqual([
      {
        question: "Age: In years (whole number; at least 0; optional, - leaves it empty)",
        multiSelect: false,
        options: [],
      },
      { question: "color", multiSelect: false, options: [{ label: "Red" }, { label: "Green" }] },
    ])
  })

  it("is shown in one line, without control characters and bounded", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 3000 }), (text) => {
        const form = readForm(params({ a: { type: "string", title: text, description: text } }))
        const shown = form.kind === "form" ? (form.questions[0]?.question ?? "") : ""
        expect(shown).not.toMatch(/[\p{Cc}\u202a-\u202e]/u)
        expect(shown.length).toBeLessThanOrEqual(2000)
      }),
    )
  })
})

describe("a form", () => {
  it.each<[string, unknown, string]>([
    ["no schema", { message: "x" }, "not an object schema"],
    ["a nested object", params({ a: { type: "object", properties: {} } }), 'the field "a" is not supported'],
    ["a list of anything", params({ a: { type: "array", items: { type: "string" } } }), "is not supported"],
    ["options that look the same", params({ a: { type: "string", enum: ["a", "a "] } }), "is not supported"],
    ["options that are no text", params({ a: { type: "string", enum: [1] } }), "is not supported"],
    [
      "21 fields",
      params(Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`f${n}`, { type: "string" }]))),
      "20 fields",
    ],
    ["another mode", { mode: "video", message: "x" }, "mode"],
    ["nothing", undefined, "not an object schema"],
  ])("with %s is declined without asking", async (_, given, reason) => {
    const { ask, seen } = typing()
    expect(await askForm(ask, given, signal)).toMatchObject({
      action: "decline",
      _meta: { reason: expect.stringContaining(reason) },
    })
    expect(seen).toEqual([])
  })

  it("has a value for each field under its own name, whatever that is", async () => {
    const { ask } = typing("one\n2\nyes")
    const properties = JSON.parse('{"__proto__":{"type":"string"},"n":{"type":"number"},"b":{"type":"boolean"}}')
    const result = await askForm(ask, params(properties), signal)
    expect(Object.entries(result.content ?? {})).toEqual([
      ["__proto__", "one"],
      ["n", 2],
      ["b", true],
    ])
  })

  it("is asked for again until it is valid", async () => {
    const { ask, seen } = typing("x", "5")
    expect(await askForm(ask, params({ n: { type: "number" } }), signal)).toEqual({
      action: "accept",
      content: { n: 5 },
    })
    expect(seen).toHaveLength(2)
  })

  it.each(["declined", "cancelled"] as const)("that is %s has no content", async (kind) => {
    const result = await askForm(async () => ({ kind, reason: "r" }), params({ a: { type: "string" } }), signal)
    expect(result).toEqual({ action: kind === "declined" ? "decline" : "cancel", _meta: { reason: "r" } })
  })

  it("without fields is accepted or declined", async () => {
    expect(await askForm(typing("1").ask, params({}), signal)).toEqual({ action: "accept", content: {} })
    expect(await askForm(typing("Decline").ask, params({}), signal)).toEqual({ action: "decline" })
  })
})

describe("an address", () => {
  const url = (address: string) => ({ mode: "url", message: "Log in", elicitationId: "1", url: address })

  it("is shown with its host, and accepted without content", async () => {
    const { ask, seen } = typing("accept")
    expect(await askForm(ask, url("https://bücher.example/login?x=1"), signal)).toEqual({ action: "accept" })
    expect(seen[0]?.questions[0]?.question).toContain("xn--bcher-kva.example yourself")
    expect(seen[0]?.questions[0]?.question).toContain("https://xn--bcher-kva.example/login?x=1")
  })

  it.each([
    "http://example.com",
    "javascript:alert(1)",
    "https://me:pw@example.com/",
    "nothing",
    `https://a.b/${"x".repeat(2000)}`,
  ])("%s is declined without asking", async (address) => {
    const { ask, seen } = typing("1")
    expect((await askForm(ask, url(address), signal)).action).toBe("decline")
    expect(seen).toEqual([])
  })
})
