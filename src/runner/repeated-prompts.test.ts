import { describe, expect, it } from "vitest"
import type { CommandOf } from "../contract/commands.ts"
import type { JsonValue } from "../contract/values.ts"
import { newSession, testHost, you } from "../testing/test-host.ts"
import { inOrder } from "../testing/service-world.ts"

const hide = (text: string) => text.replaceAll("hunter2", "…")
const scrubber = {
  text: hide,
  json: (value: JsonValue): JsonValue => JSON.parse(hide(JSON.stringify(value))),
  stream: () => ({ push: hide, end: () => "" }),
}
const file = (name: string) => ({ name, mediaType: "image/png", url: "https://files.example/?key=hunter2" })

async function sentTwice(first: Partial<CommandOf<"prompt">>, second = first): Promise<string> {
  const { models } = inOrder([[{ text: "One." }], [{ text: "Two." }]])
  const { host } = await testHost(models, [], { scrubber })
  const session = await newSession(host)
  const prompt = { type: "prompt", text: "look", ifBusy: "wait", reference: "r1" } as const
  await session.send({ ...prompt, promptId: "prm_first", ...first }, you)
  const sent = await session.send({ ...prompt, promptId: "prm_second", ...second }, you)
  await host.close()
  return sent.kind === "accepted" ? "taken" : sent.refusal.code
}

describe("a prompt that is sent again", () => {
  it.each([{ text: "my word is hunter2" }, { attachments: [file("a.png")] }, { files: [file("a.png")] }])(
    "is known again when it holds a secret: %j",
    async (words) => {
      expect(await sentTwice(words)).toBe("prompt.repeated")
    },
  )

  it.each([
    { text: "look there" },
    { attachments: [file("b.png")] },
    { files: [file("b.png")] },
    { model: "another" },
    { skill: "another" },
  ])("is a different prompt if its text or options differ: %j", async (change) => {
    const words = { attachments: [file("a.png")], files: [file("a.png")], model: "m", skill: "s" }
    expect(await sentTwice(words, { ...words, ...change })).toBe("taken")
  })
})
