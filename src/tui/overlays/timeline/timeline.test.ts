import { expect, it } from "vitest"
import { next, turn } from "../../../testing/test-host.ts"
import { ctrl, keys, testScreen } from "../../fixtures/test-screen.ts"

async function withTimeline() {
  const test = await testScreen({
    script: [[{ text: "answer one" }], [{ text: "answer two" }]],
    prepare: async (session) => {
      await turn(session, "question one")
      await turn(session, "question two")
    },
  })
  test.press(ctrl("l"))
  await test.shows("timeline ├")
  return test
}

it("shows the conversation as it was after an earlier turn, and goes forward again", async () => {
  const test = await withTimeline()
  test.press(keys.up)
  const earlier = await test.hides("answer two")
  expect(earlier).toContain("answer one")
  expect(earlier).toContain("turn.ended")
  test.press(keys.pageUp)
  await test.hides("answer one")
  test.press(keys.end)
  await test.shows("answer two")
})

it("rewinds after a confirmation only", async () => {
  const test = await withTimeline()
  test.press(keys.up)
  await test.hides("answer two")
  test.press("r")
  await test.shows("The agent forgets 1 later turn")
  test.press("n")
  await test.hides("The agent forgets")
  const rewound = next(test.session, "context.rewound")
  test.press("r", "y")
  const { toSeq } = await rewound
  expect(await test.shows(`Went back to event ${toSeq}`)).not.toContain("answer two")
})

it("begins with the first event at home", async () => {
  const test = await withTimeline()
  test.press(keys.home)
  expect(await test.shows("session.created")).toContain("event 1 of ")
})
