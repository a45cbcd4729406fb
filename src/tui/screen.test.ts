import { expect, it } from "vitest"
import { gate } from "../testing/gate.ts"
import { next, prompt, turn } from "../testing/test-host.ts"
import { alt, ctrl, keys, testScreen } from "./fixtures/test-screen.ts"
import type { LocalFiles } from "./place.ts"

const files: LocalFiles = {
  list: async () => ["src/refund.ts", "src/index.ts", "docs/refund.md"],
  branch: async () => "main",
  attach: async () => ({ attachments: [], notes: [], problems: [] }),
  edit: async (text) => ({ kind: "text", text: `${text} from the editor\n` }),
  runShell: (_command, _folder, output) => {
    output("one\ntwo\n")
    return { ended: Promise.resolve(""), stop: () => {} }
  },
}

it("sends a prompt and shows the answer", async () => {
  const test = await testScreen({ script: [[{ text: "Hello there." }]] })
  test.press("hi", keys.enter)
  const text = await test.shows("Hello there.")
  expect(text).toContain("you  hi")
})

it("keeps a prompt that is entered before the session is open, and sends it then", async () => {
  const opening = Promise.withResolvers<void>()
  const test = await testScreen({ script: [[{ text: "Hello there." }]], opening: opening.promise })
  test.press("hi", keys.enter)
  expect(await test.shows("This is sent when the session is open.")).toContain("› hi")
  opening.resolve()
  const text = await test.shows("Hello there.")
  expect(text).toContain("you  hi")
  expect(text).not.toContain("This is sent")
})

it("does not send a prompt that was changed after it was entered", async () => {
  const opening = Promise.withResolvers<void>()
  const test = await testScreen({ opening: opening.promise })
  test.press("hi", keys.enter)
  await test.shows("This is sent when the session is open.")
  test.press(" there")
  opening.resolve()
  expect(await test.shows("idle")).toContain("› hi there")
  expect(test.session.state.turn).toBeUndefined()
})

it("queues a prompt while the agent works, and takes it back with up", async () => {
  const halfway = gate()
  const test = await testScreen({ script: [[{ text: "one " }, { gate: halfway }, { text: "two" }], [{ text: "x" }]] })
  await prompt(test.session, "go")
  await test.shows("one")
  test.press("also this", keys.enter)
  await test.shows("queued · edit with ↑")
  test.press(keys.up)
  const text = await test.hides("queued")
  expect(text).toContain("› also this")
  halfway.open()
})

it("interrupts with escape", async () => {
  const never = gate()
  const test = await testScreen({ script: [[{ text: "one " }, { gate: never }]] })
  await prompt(test.session, "go")
  await test.shows("one")
  test.press(keys.escape)
  expect(await test.shows("Interrupted by you.")).toContain("idle")
})

it("walks through earlier prompts and back to the draft", async () => {
  const test = await testScreen()
  test.press("draft", keys.up)
  await test.shows("› second prompt")
  test.press(keys.up)
  await test.shows("› first prompt")
  test.press(keys.down, keys.down)
  expect(await test.shows("› draft")).not.toContain("prompt")
})

it("completes a file after @ by letters in order", async () => {
  const test = await testScreen({ place: { files } })
  await test.shows("main")
  test.press("look at @sref")
  await test.shows("src/refund.ts")
  test.press(keys.tab)
  expect(await test.shows("› look at @src/refund.ts")).not.toContain("docs/refund.md")
})

it("completes a command and shows its help", async () => {
  const test = await testScreen()
  test.press("/renam")
  await test.shows("/rename")
  test.press(keys.tab)
  await test.hides("new name")
  expect(test.screen.state.draft.text).toBe("/rename ")
})

it("lists the keys with ?, and closes with escape", async () => {
  const test = await testScreen()
  test.press("?")
  await test.shows("In the input")
  test.press(keys.escape)
  expect(await test.hides("In the input")).toContain("? help")
})

it("goes back to an earlier prompt with escape twice", async () => {
  const test = await testScreen({
    script: [[{ text: "a1" }], [{ text: "a2" }]],
    prepare: async (session) => {
      await turn(session, "question one")
      await turn(session, "question two")
    },
  })
  test.press(keys.escape)
  await test.shows("esc again")
  test.press(keys.escape)
  await test.shows("go back to before a prompt")
  test.press(keys.enter)
  await test.shows("› question two")
  const text = await test.shows("Went back 1 turn")
  expect(text).not.toContain("a2")
})

it("writes the draft in the editor", async () => {
  const test = await testScreen({ place: { files } })
  test.press("begun", ctrl("x"))
  await test.shows("› begun from the editor")
  expect(test.lent).toEqual(["lend"])
})

it("suspends with ctrl-z", async () => {
  const test = await testScreen()
  test.press(ctrl("z"))
  expect(test.lent).toEqual(["suspend"])
})

it("runs ! in the shell and shares the output with the next prompt", async () => {
  const test = await testScreen({ place: { files }, script: [[{ text: "seen" }]] })
  test.press("!ls", keys.enter)
  await test.shows("goes with your next prompt")
  const admitted = next(test.session, "prompt.admitted")
  test.press("what is it?", keys.enter)
  expect((await admitted).text).toContain("$ ls\none\ntwo")
  await test.hides("goes with your next prompt")
})

it("switches plan mode with shift-tab", async () => {
  const test = await testScreen()
  test.press(keys.shiftTab)
  await test.shows("plan mode: nothing can be changed")
  test.press(keys.shiftTab)
  expect(await test.shows("left plan mode")).toContain("shop-api")
})

it("chooses the thinking level and the tools", async () => {
  const test = await testScreen()
  const level = next(test.session, "thinking.selected")
  test.press(alt("t"))
  await test.shows("thinking")
  test.press("high", keys.enter)
  expect(await level).toMatchObject({ level: "high" })
  const mode = next(test.session, "tools.selected")
  test.press(alt("o"))
  await test.shows("files and commands")
  test.press("core", keys.enter)
  expect(await mode).toMatchObject({ mode: "Core" })
})

it("leaves with ctrl-c twice, and clears the input first", async () => {
  const test = await testScreen()
  test.press("text", ctrl("c"))
  await test.hides("› text")
  test.press(ctrl("c"))
  await test.shows("ctrl-c again")
  test.press(ctrl("c"))
  expect(await test.left).toMatchObject({ reason: "left", sessionId: test.session.id })
})

it("detaches with ctrl-d from an empty input only", async () => {
  const test = await testScreen()
  test.press("text", ctrl("d"))
  await test.shows("ctrl-d leaves when the input is empty")
  test.press(ctrl("u"), ctrl("d"))
  expect(await test.left).toMatchObject({ reason: "detached" })
})
