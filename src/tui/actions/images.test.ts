import { expect, it } from "vitest"
import type { Attachment } from "../../contract/values.ts"
import { gate } from "../../testing/gate.ts"
import { prompt } from "../../testing/test-host.ts"
import { ctrl, keys, testScreen } from "../fixtures/test-screen.ts"
import type { ImageInput } from "../place.ts"

const shot: Attachment = { name: "/home/jane/shot.png", mediaType: "image/png", data: "iVBORw0KGgo=" }
const clip: Attachment = { name: "clipboard-1.png", mediaType: "image/png", data: "iVBORw0KGgo=" }
const givenImages: ImageInput = {
  dropped: async (text) => (text.includes("shot.png") ? { images: [shot] } : undefined),
  clipboard: async () => ({ images: [clip] }),
}
const pasted = (text: string) => `\u001b[200~${text}\u001b[201~`

async function promptsOf(test: Awaited<ReturnType<typeof testScreen>>) {
  const items = test.screen.state.session?.transcript.items ?? []
  return items.flatMap((item) => (item.kind === "user" ? [{ text: item.text, files: item.attachments }] : []))
}

it("attaches an image file that is dropped, with the prompt around its mark", async () => {
  const test = await testScreen({ script: [[{ text: "A cat." }]], place: { givenImages } })
  test.press("what is ", pasted("'/home/jane/shot.png'"))
  await test.shows("› what is [image 1: shot.png]")
  test.press("?", keys.enter)
  await test.shows("A cat.")
  expect(await promptsOf(test)).toEqual([{ text: "what is [image 1: shot.png] ?", files: [shot] }])
})

it("attaches the image of the clipboard, by key and by an empty paste", async () => {
  const test = await testScreen({ script: [[{ text: "Two." }]], place: { givenImages } })
  test.press(ctrl("v"))
  await test.shows("[image 1: clipboard-1.png]")
  test.press(pasted(""))
  await test.shows("[image 2: clipboard-1.png]")
  test.press(keys.enter)
  await test.shows("Two.")
  expect((await promptsOf(test))[0]?.files).toEqual([clip, clip])
})

it("does not send an image whose mark was deleted", async () => {
  const test = await testScreen({ script: [[{ text: "Ok." }]], place: { givenImages } })
  test.press("see ", pasted("/home/jane/shot.png"))
  await test.shows("[image 1: shot.png]")
  test.press(keys.backspace, keys.backspace)
  await test.hides("shot.png")
  test.press("nothing", keys.enter)
  await test.shows("Ok.")
  expect(await promptsOf(test)).toEqual([{ text: "see nothing", files: [] }])
})

it("pastes a path that names no image, and any other text", async () => {
  const test = await testScreen({ place: { givenImages } })
  test.press(pasted("/tmp/missing.png"))
  await test.shows("› /tmp/missing.png")
  test.press(pasted(" and more"))
  expect(await test.shows("› /tmp/missing.png and more")).not.toContain("[image")
})

it("says why the clipboard gave no image", async () => {
  const clipboard = async () => ({ images: [], problem: "The clipboard has no image." })
  const test = await testScreen({ place: { givenImages: { ...givenImages, clipboard } } })
  test.press(ctrl("v"))
  expect(await test.shows("The clipboard has no image.")).toContain("idle")
})

it("keeps the image of a queued prompt that is taken back", async () => {
  const halfway = gate()
  const script = [[{ text: "one " }, { gate: halfway }, { text: "two" }], [{ text: "Seen." }]]
  const test = await testScreen({ script, place: { givenImages } })
  await prompt(test.session, "go")
  await test.shows("one")
  test.press(pasted("/home/jane/shot.png"))
  await test.shows("[image 1: shot.png]")
  test.press(keys.enter)
  await test.shows("queued · edit with ↑")
  test.press(keys.up)
  await test.hides("queued")
  halfway.open()
  await test.shows("idle")
  test.press(keys.enter)
  await test.shows("Seen.")
  expect((await promptsOf(test)).at(-1)?.files).toEqual([shot])
})
