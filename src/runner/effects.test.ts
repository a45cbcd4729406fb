import { setImmediate } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { next, prompt, you } from "../testing/test-host.ts"
import { serviceWorld } from "../testing/service-world.ts"

describe("an effect", () => {
  it("starts after the sender has learned that its input is stored", async () => {
    const { session, requests, events } = await serviceWorld([[{ text: "Hi." }]])
    const ended = next(session, "turn.ended")
    await prompt(session, "hello")
    expect((await events()).map(({ type }) => type)).toContain("prompt.admitted")
    expect(requests).toHaveLength(0)
    expect(await ended).toMatchObject({ reason: "done" })
    expect(requests).toHaveLength(1)
  })

  it("is not started if it is no longer required by then", async () => {
    const { session, requests } = await serviceWorld([[{ text: "Hi." }]])
    const ended = next(session, "turn.ended")
    await prompt(session, "hello")
    await session.send({ type: "interrupt" }, you)
    expect(await ended).toMatchObject({ reason: "interrupted" })
    await setImmediate()
    await setImmediate()
    expect(requests).toHaveLength(0)
  })
})
