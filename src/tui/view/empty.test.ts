import { expect, it } from "vitest"
import { lineText } from "../../display/spans.ts"
import { emptySession, stateOf } from "../fixtures/session.ts"
import { workingSession } from "../fixtures/situations.ts"
import { emptyLines } from "./empty.ts"

const textOf = (model: string, width = 78) => {
  const session = emptySession()
  const state = stateOf({ ...session, status: { ...session.status, model } })
  return emptyLines(state, width).map(lineText).join("\n")
}

it("names the folder, and says that the session is not in the window", () => {
  expect(textOf("anthropic/opus-5")).toContain("New session in ~/shop-api")
  expect(textOf("anthropic/opus-5")).not.toContain("demo")
})

it.each(["offline/demo", "offline/demo:0"])("gives examples for %s", (model) => {
  expect(textOf(model)).toContain("write hello to notes.txt")
})

it("is nothing in a session that has begun", () => {
  expect(emptyLines(stateOf(workingSession()), 78)).toEqual([])
})
