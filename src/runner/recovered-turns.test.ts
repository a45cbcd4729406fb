import { describe, expect, it } from "vitest"
import { contextItems } from "../projection/context.ts"
import { newSession, next, prompt, reopen, testHost, testTool, you } from "../testing/test-host.ts"
import { gate, scriptedSource } from "../testing/index.ts"
import { call, say } from "./fixtures/turns.ts"

describe("after a crash", () => {
  it("streamed text is stored and the answer continues", async () => {
    const script = [[{ chunks: ["Once "] }, { hang: true }, { chunks: ["upon."] }]] as const
    const first = await testHost(scriptedSource(script))
    const session = await newSession(first.host)
    await prompt(session, "tell")
    await new Promise<void>((resolve) => session.watch((item) => item.kind === "delta" && resolve()))
    await expect
      .poll(async () => (await first.log.load(session.id)).kind === "ok" && streamedText(first.log, session.id))
      .toBe("Once ")
    await first.crash()
    const second = await testHost(scriptedSource([[{ chunks: ["Once ", "upon."] }]]), [], {}, first.log)
    const again = await reopen(second.host, session.id)
    await next(again, "turn.ended")
    expect(contextItems(again.context).at(-1)).toMatchObject({ parts: [{ kind: "text", text: "Once upon." }] })
    expect(await streamedText(first.log, session.id)).toBe("")
  })

  it("an unsafe call is not repeated and the model learns of it", async () => {
    let runs = 0
    const begun = gate()
    const pay = testTool("pay", async () => ((runs += 1), await begun.pass(), { outcome: "done", output: "paid" }))
    const first = await testHost(scriptedSource([[call("pay")]]), [pay])
    const session = await newSession(first.host)
    await prompt(session, "pay")
    await begun.arrived
    await first.crash()
    const second = await testHost(
      scriptedSource([[call("pay")], [{ expect: { toolResult: "unknown" } }, say("I do not know.")]]),
      [pay],
      {},
      first.log,
    )
    const again = await reopen(second.host, session.id)
    expect(await next(again, "turn.ended")).toMatchObject({ reason: "done" })
    expect(runs).toBe(1)
  })

  it("a call that may be repeated runs again, once, with the same key", async () => {
    const keys: string[] = []
    const begun = gate()
    const look = testTool(
      "look",
      async (_, context) => {
        keys.push(context.idempotencyKey)
        if (keys.length === 1) await begun.pass()
        return { outcome: "done", output: "seen" }
      },
      { class: "keyed" },
    )
    const first = await testHost(scriptedSource([[call("look")]]), [look])
    const session = await newSession(first.host)
    await prompt(session, "look")
    await begun.arrived
    await first.crash()
    const second = await testHost(scriptedSource([[call("look")], [say("Seen.")]]), [look], {}, first.log)
    expect(await next(await reopen(second.host, session.id), "turn.ended")).toMatchObject({ reason: "done" })
    expect(keys).toHaveLength(2)
    expect(keys[0]).toBe(keys[1])
  })

  it("the old owner cannot write and reports that to its watchers", async () => {
    const first = await testHost(scriptedSource([[say("a")]]))
    const session = await newSession(first.host)
    await first.crash()
    const second = await testHost(scriptedSource([[say("b")]]), [], {}, first.log)
    await reopen(second.host, session.id)
    const lost = new Promise((resolve) => session.watch((item) => item.kind === "lost" && resolve(item.refusal.code)))
    expect(await session.send({ type: "rename", name: "mine" }, you)).toMatchObject({ refusal: { code: "log.fenced" } })
    expect(await lost).toBe("log.fenced")
  })
})

async function streamedText(log: Awaited<ReturnType<typeof testHost>>["log"], sessionId: string): Promise<string> {
  const loaded = await log.load(sessionId)
  if (loaded.kind === "refused") throw new Error(loaded.refusal.code)
  return loaded.value.streamed.flatMap(({ blocks }) => blocks.map(({ text }) => text)).join("")
}
