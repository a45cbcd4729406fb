import { expect, it } from "vitest"
import { draftOf } from "./draft.ts"
import { History } from "./history.ts"

it("goes back to the oldest prompt and forward to the draft", () => {
  const history = new History(["one", "two"])
  expect(history.step(1, draftOf("draft"))?.text).toBe("two")
  expect(history.step(1, draftOf("two"))?.text).toBe("one")
  expect(history.step(1, draftOf("one"))).toBeUndefined()
  expect(history.step(-1, draftOf("one"))?.text).toBe("two")
  expect(history.step(-1, draftOf("two"))?.text).toBe("draft")
  expect(history.step(-1, draftOf("draft"))).toBeUndefined()
})

it("keeps a prompt once that is sent twice in a row", () => {
  const history = new History([])
  history.add("one")
  history.add("one")
  expect(history.step(1, draftOf(""))?.text).toBe("one")
  expect(history.step(1, draftOf("one"))).toBeUndefined()
})
