import { expect, it } from "vitest"
import { screenImages } from "../../app/screen/images/screen-images.ts"
import { pngFile } from "../../tools/fixtures/images.ts"
import { testTool } from "../../testing/test-host.ts"
import { keys, testScreen, type TestScreen } from "../fixtures/test-screen.ts"

const data = pngFile(100, 60).toString("base64")
const look = testTool(
  "look",
  () => ({
    outcome: "done",
    output: "an image",
    images: [
      { name: "shot.png", mediaType: "image/png", data },
      { name: "photo.jpg", mediaType: "image/jpeg", data: "/9j/4AAQ" },
    ],
  }),
  { class: "read" },
)
const script = [[{ call: { tool: "look", input: {} } }], [{ text: "Seen." }]]
const CELL = "\u001b[6;20;10t"
const KITTY = "\u001b_Gi=31;OK\u001b\\"
const PLACEHOLDER = "\u{10eeee}"

async function seen(env: Readonly<Record<string, string>>, ...replies: readonly string[]): Promise<TestScreen> {
  const test = await testScreen({ script, tools: [look], place: { images: screenImages({ ...env }) } })
  test.press(...replies)
  test.press("go", keys.enter)
  await test.shows("Seen.")
  return test
}

const all = (test: TestScreen) => test.written.join("")
const until = (test: TestScreen, part: string) => test.until(() => all(test).includes(part))

it("keeps a note where the terminal says nothing", async () => {
  const test = await seen({ TERM: "xterm-256color" })
  expect(test.text()).toContain("shot.png (image/png)")
  expect(all(test)).not.toContain("a=T")
})

it("draws an image of a result with placeholders of kitty, in as many characters as it takes", async () => {
  const test = await seen({ TERM: "xterm-kitty" }, KITTY, CELL)
  await until(test, PLACEHOLDER)
  expect(all(test)).toMatch(/_Ga=T,U=1,q=2,f=100,t=d,i=\d+,c=10,r=3,m=0;/)
  expect(all(test)).toContain(`m=0;${data}\u001b\\`)
  expect(all(test).split(PLACEHOLDER).length - 1).toBeGreaterThanOrEqual(30)
  expect(test.text()).toContain("photo.jpg (image/jpeg)")
})

it("removes the images when the window is left", async () => {
  const test = await seen({ TERM: "xterm-kitty" }, KITTY, CELL)
  await until(test, PLACEHOLDER)
  test.screen.leave({ reason: "left", sessionId: undefined, isWorking: false })
  await test.left
  expect(test.written.at(-1)).toMatch(/_Ga=d,d=I,i=\d+,q=2/)
})

it("draws inline images of iTerm2 over blanks, once, and again after something else was there", async () => {
  const test = await seen({ TERM: "xterm-256color", TERM_PROGRAM: "iTerm.app" }, CELL)
  await until(test, "]1337;File=")
  expect(all(test)).toContain(`width=10;height=3;preserveAspectRatio=1;doNotMoveCursor=1:${data}\u0007`)
  const count = () => all(test).split("]1337;").length - 1
  test.press("typed")
  await test.shows("› typed")
  expect(count()).toBe(1)
  test.press(keys.f1)
  await until(test, "In the input")
  test.press(keys.escape)
  await test.until(() => count() > 1)
  expect(count()).toBe(2)
})

it("draws sixels where the terminal has them", async () => {
  const test = await seen({ TERM: "foot" }, "\u001b[?62;4c", CELL)
  await until(test, "\u001bP0;1;0q")
  expect(all(test)).toContain('"1;1;100;60#0;2;0;0;0')
})

it("draws it again in other characters when these have another size", async () => {
  const test = await seen({ TERM: "xterm-kitty" }, KITTY, CELL)
  await until(test, PLACEHOLDER)
  test.press("\u001b[6;40;20t")
  await until(test, ",c=5,r=2,")
  expect(all(test)).toMatch(/_Ga=d,d=I,i=\d+,q=2/)
})

it("draws the image of a prompt", async () => {
  const test = await testScreen({
    script: [[{ text: "Ok." }]],
    place: { images: screenImages({ TERM: "xterm-kitty" }) },
  })
  test.press(KITTY, CELL)
  const attachments = [{ name: "a.png", mediaType: "image/png", data }]
  await test.session.send(
    { type: "prompt", promptId: "prm_a", text: "see", attachments, ifBusy: "steer" },
    test.screen.place.caller,
  )
  await test.shows("@ a.png")
  await until(test, PLACEHOLDER)
  expect(all(test)).toContain(data)
})
