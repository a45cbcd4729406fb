import { expect, it } from "vitest"
import { newSession, next, testHost, you } from "../../testing/test-host.ts"
import { scriptedSource } from "../../testing/index.ts"
import type { SessionActor } from "../session-actor.ts"

const image = { name: "a.png", mediaType: "image/png", data: "iVBORw0KGgo=" }

async function show(session: SessionActor, id: number): Promise<void> {
  const ended = next(session, "turn.ended")
  await session.send({ type: "prompt", promptId: `prm_${id}`, text: "look", ifBusy: "wait", attachments: [image] }, you)
  await ended
}

it("tells clients once that the model does not see images, and the model in place of each image", async () => {
  const models = scriptedSource([[{ text: "No." }], [{ text: "Still no." }]], { seesImages: false })
  const { host } = await testHost(models)
  const session = await newSession(host)
  const warnings: string[] = []
  session.watch(
    (item) => item.kind === "delta" && item.delta.type === "host.warned" && warnings.push(item.delta.message),
  )
  await show(session, 1)
  await show(session, 2)
  expect(warnings).toEqual([expect.stringContaining("cannot read images: it gets a note in place of each")])
  const sent = JSON.stringify(models.model.calls.at(-1)?.prompt)
  expect(sent).not.toContain(image.data)
  expect(sent.split("this model cannot see images").length - 1).toBe(2)
})
