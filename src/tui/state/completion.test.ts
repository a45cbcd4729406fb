import { expect, it } from "vitest"
import { accept, completionOf, selectNext } from "./completion.ts"
import { draftOf } from "./draft.ts"

const sources = {
  files: ["src/refund.ts", "docs/with blank.md", "src/"],
  commands: [
    { text: "/model", detail: "" },
    { text: "/models", detail: "" },
  ],
}

function completed(text: string, by: 0 | 1 = 0): string | undefined {
  const completion = completionOf(draftOf(text), sources)
  if (completion === undefined) return undefined
  return accept(draftOf(text), by === 0 ? completion : selectNext(completion, by)).text
}

it("completes a file within a sentence", () => {
  expect(completed("look at @refu")).toBe("look at @src/refund.ts ")
})

it("quotes names with blanks, and leaves a folder open", () => {
  expect(completed("@blank")).toBe('@"docs/with blank.md" ')
  expect(completed("@src/", 1)).toMatch(/^@src/)
})

it("completes commands at the beginning only", () => {
  expect(completed("/mod")).toBe("/model ")
  expect(completed("/mod", 1)).toBe("/models ")
  expect(completed("say /mod")).toBeUndefined()
})

it("offers nothing for an address", () => {
  expect(completed("mail jane@example")).toBeUndefined()
})
