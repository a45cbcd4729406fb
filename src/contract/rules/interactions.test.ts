import { describe, expect, it } from "vitest"
import { readSpec, readValues } from "./interactions.ts"
import type { JsonValue } from "../values.ts"

const ok = (value: JsonValue) => ({ kind: "ok", value })
const wrong = (...errors: readonly (readonly [string, string])[]) => ({
  kind: "wrong",
  errors: errors.map(([field, message]) => ({ field, message })),
})

describe("an identity", () => {
  it("is requested by field names alone, which makes them required", () => {
    const fields = [
      { key: "name", required: true },
      { key: "email", required: true },
    ]
    expect(readSpec("identity_intake", { fields: ["name", "email"] })).toEqual(ok({ fields }))
  })

  it("is requested with a label and optional fields", () => {
    const asked = { fields: [{ key: "phone", label: "Mobile", required: false }, { key: "name" }] }
    expect(readSpec("identity_intake", asked)).toEqual(
      ok({
        fields: [
          { key: "phone", label: "Mobile", required: false },
          { key: "name", required: true },
        ],
      }),
    )
  })

  it.each([{}, { fields: [] }, { fields: "name" }, { fields: ["age"] }, { fields: ["name", {}] }, null, "name"])(
    "cannot be asked for with %j",
    (input) => expect(readSpec("identity_intake", input).kind).toBe("wrong"),
  )

  const spec = {
    fields: [
      { key: "name", required: true },
      { key: "email", required: true },
      { key: "phone", required: false },
    ],
  }
  const read = (values: JsonValue) => readValues("identity_intake", spec, values)

  it("is trimmed and normalised", () => {
    const values = { name: "  Ada Lovelace ", email: "Ada.L@Example.COM", phone: "(415) 555-2671" }
    expect(read(values)).toEqual(ok({ name: "Ada Lovelace", email: "Ada.L@example.com", phone: "+14155552671" }))
  })

  it("is refused with all errors at once", () => {
    expect(read({ name: "  ", email: "ada@", phone: "12" })).toEqual(
      wrong(
        ["name", "this field is required"],
        ["email", "must be a valid email address"],
        ["phone", "must be a valid phone number"],
      ),
    )
  })

  it.each(["a@b", "@b.c", "a@b..c", "a@.b.c", "a@b.c.", "a b@c.de", "a@b@c.de", "a@b c.de", "plain"])(
    "is not reached at the address %j",
    (email) => expect(read({ name: "A", email })).toEqual(wrong(["email", "must be a valid email address"])),
  )

  it.each([
    ["+49 30 1234567", "+49301234567"],
    ["+1.415.555.2671", "+14155552671"],
    ["4155552671", "+14155552671"],
    ["1-415-555-2671", "+14155552671"],
    ["+12345678", "+12345678"],
    ["+123456789012345", "+123456789012345"],
  ])("normalises the phone number %j to %j", (phone, known) => {
    expect(readValues("identity_intake", { fields: ["phone"] }, { phone })).toEqual(ok({ phone: known }))
  })

  it.each(["+0123456789", "+1234567", "+1234567890123456", "24155552671", "555-2671", "+49x301234567"])(
    "is not reached at %j",
    (phone) =>
      expect(readValues("identity_intake", undefined, { phone })).toEqual(
        wrong(["phone", "must be a valid phone number"]),
      ),
  )

  it("may have more fields than requested", () => {
    const asked = { fields: [{ key: "name", required: true }] }
    const said = { name: "Ada", email: "a@b.example" }
    expect(readValues("identity_intake", asked, { ...said, age: 36 })).toEqual(ok(said))
  })

  it("must not be empty", () => {
    const asked = { fields: [{ key: "phone", required: false }] }
    for (const values of [{}, { phone: " " }, { age: 3 }, "Ada", null])
      expect(readValues("identity_intake", asked, values)).toEqual(wrong(["values", "nothing was given"]))
  })

  it("is checked for its form only without a spec", () => {
    expect(readValues("identity_intake", undefined, { email: "a@B.example" })).toEqual(ok({ email: "a@b.example" }))
  })
})

describe("a choice", () => {
  const size = { header: "Size", question: "Which size?", options: ["S", { label: " L ", description: "large" }] }

  it("is normalised: every option has a label and a description", () => {
    const options = [
      { label: "S", description: "" },
      { label: "L", description: "large" },
    ]
    expect(readSpec("choices", { questions: [size] })).toEqual(
      ok({ questions: [{ header: "Size", question: "Which size?", multiSelect: false, options }] }),
    )
  })

  it("uses its header as the question if there is none", () => {
    const read = readSpec("choices", { questions: [{ header: " Size ", options: ["S", "L"], multiSelect: true }] })
    expect(read).toMatchObject({ value: { questions: [{ header: "Size", question: "Size", multiSelect: true }] } })
  })

  it.each([
    ["no question", []],
    ["five questions", [1, 2, 3, 4, 5].map((n) => ({ ...size, header: `Size ${n}` }))],
    ["a header twice", [size, size]],
    ["a blank header", [{ ...size, header: " " }]],
    ["a long header", [{ ...size, header: "thirteen char" }]],
    ["one option", [{ ...size, options: ["S"] }]],
    ["five options", [{ ...size, options: ["1", "2", "3", "4", "5"] }]],
    ["an option without a label", [{ ...size, options: ["S", { description: "?" }] }]],
    ["no options", [{ header: "Size" }]],
  ])("cannot be requested with %s", (_, questions) => {
    expect(readSpec("choices", { questions }).kind).toBe("wrong")
  })

  it("counts characters of a header, not bytes", () => {
    expect(readSpec("choices", { questions: [{ ...size, header: "🍕".repeat(12) }] }).kind).toBe("ok")
  })

  const colours = { header: "Colours", options: ["red", "blue"], multiSelect: true }
  const spec = { questions: [size, colours] }
  const read = (...answers: JsonValue[]) => readValues("choices", spec, { answers })

  it("is answered in question order, trimmed and without blanks", () => {
    const answered = read({ header: "Colours", options: ["blue", " red ", ""] }, { header: " Size ", other: " XL " })
    expect(answered).toEqual(
      ok({
        answers: [
          { header: "Size", options: [], other: "XL" },
          { header: "Colours", options: ["blue", "red"] },
        ],
      }),
    )
  })

  it("is refused with every question that lacks a valid answer", () => {
    expect(read({ header: "Colours", options: ["green"] })).toEqual(
      wrong(["Size", "this question is not answered"], ["Colours", "there is no such option to choose"]),
    )
  })

  it("allows one option, free text included, for a single choice", () => {
    const both = { header: "Size", options: ["S"], other: "or L" }
    expect(read(both, { header: "Colours", options: ["red"], other: "and gold" })).toEqual(
      wrong(["Size", "only one option may be chosen"]),
    )
    expect(read({ header: "Size", options: ["S", "L"] }, { header: "Colours", options: ["red"] }).kind).toBe("wrong")
  })

  it("is checked for its form only without a spec", () => {
    const answers = [{ header: "Size", options: ["XS"] }]
    expect(readValues("choices", undefined, { answers })).toEqual(ok({ answers }))
    expect(readValues("choices", undefined, {})).toEqual(wrong(["values", "nothing was chosen"]))
  })
})

it.each([
  ["identity_intake", { fields: [{ key: "email", required: true }] }, {}],
  ["identity_intake", { fields: [{ key: "email", required: true }] }, { email: " " }],
  ["choices", { questions: [{ header: "Size", options: ["S", "L"] }] }, {}],
  ["choices", { questions: [{ header: "Size", options: ["S", "L"] }] }, { answers: [] }],
] as const)("names the field values where nothing is given: %s %j %j", (kind, spec, values) => {
  const read = readValues(kind, JSON.parse(JSON.stringify(spec)), JSON.parse(JSON.stringify(values)))
  expect(read).toMatchObject({ kind: "wrong", errors: [{ field: "values" }] })
})
