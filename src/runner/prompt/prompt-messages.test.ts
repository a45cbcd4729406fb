import { describe, expect, it } from "vitest"
import { promptMessages } from "./prompt-messages.ts"
import type { UserItem } from "../../contract/views/context.ts"

const options = { system: "", takesPrefill: false }

function said(change: Partial<UserItem>): UserItem {
  return { kind: "user", seq: 1, lastSeq: 1, text: "look", attachments: [], untrustedSource: undefined, ...change }
}

function contentOf(change: Partial<UserItem>): unknown {
  return promptMessages([said(change)], options).find(({ role }) => role === "user")?.content
}

describe("a hint about references", () => {
  const hint = "it = src/a.ts"
  const told = (hints: boolean) =>
    promptMessages([said({ text: "Fix it", hint }), said({ text: "Thanks" })], { ...options, hints })

  it("is a separate part beside the prompt in every request", () => {
    expect(
      told(true)
        .slice(1)
        .map(({ content }) => content),
    ).toEqual([
      [
        { type: "text", text: "Fix it" },
        { type: "text", text: "[Not written by the user. References above probably mean: it = src/a.ts]" },
      ],
      [{ type: "text", text: "Thanks" }],
    ])
  })

  it("is omitted if hints are disabled", () => {
    expect(JSON.stringify(told(false))).not.toContain("src/a.ts")
  })
})

describe("an attachment", () => {
  const notes = { name: "notes.txt", mediaType: "text/plain", data: Buffer.from("milk\n").toString("base64") }
  const image = { name: "a.png", mediaType: "image/png", data: "iVBORw0KGgo=" }

  it("is sent as text if it is text, since not every provider takes text files", () => {
    expect(contentOf({ attachments: [notes] })).toEqual([
      { type: "text", text: "look" },
      { type: "text", text: '<file name="notes.txt">\nmilk\n\n</file>' },
    ])
  })

  it("is sent as a file otherwise", () => {
    expect(contentOf({ attachments: [image] })).toMatchObject([
      { type: "text", text: "look" },
      { type: "file", filename: "a.png", mediaType: "image/png" },
    ])
  })

  it("needs no text beside it", () => {
    expect(contentOf({ text: "", attachments: [image] })).toMatchObject([{ type: "file" }])
    expect(contentOf({ text: "" })).toEqual([{ type: "text", text: "" }])
  })
})
