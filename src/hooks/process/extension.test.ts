import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { beforeToolCall } from "../../protocols/extension/hook-events.ts"
import { testClock } from "../../testing/test-clock.ts"
import { extensionDeps, extensionThat, recorded, temporaryFolder } from "../fixtures/plugins.ts"
import type { Extension } from "./extension.ts"
import { timing } from "./clock.ts"

const event = beforeToolCall({ name: "bash", runtimeName: "bash", input: { command: "ls" } }, null)
const block = { action: "block", reason: "no" }
const soon = { timeout: 20_000, interval: 10 }

function ask(extension: Extension, ms: number = timing.hookMs, from: "asked" | "written" = "asked") {
  return extension.request("hook.handle", event, { ms, from })
}

describe("a request to an extension", () => {
  it("is answered by its id", async () => {
    const record = join(temporaryFolder(), "record")
    const extension = extensionThat({ answer: block, record })
    expect(await extension.start()).toEqual({ kind: "started", tools: [], providers: [] })
    expect(await ask(extension)).toEqual({ kind: "result", value: block })
    const { folder } = extension.spec
    expect(recorded(record)).toMatchObject([
      {
        id: 1,
        method: "initialize",
        params: { synaps_version: "0.0.0", extension_protocol_version: 1, plugin_id: "subject", plugin_root: folder },
      },
      { id: 2, method: "hook.handle", params: event },
    ])
    expect(extension.health).toBe("running")
  })

  it.for([
    ["a printed line before the frame (case 36)", "line before"],
    ["a printed and a blank line before the frame (case 37)", "line and blank before"],
    ["a newline after the body (case 38)", "newline after"],
    ["a frame byte by byte (case 41)", "byte by byte"],
    ["junk frames before the real one (case 44)", "junk first"],
    ["a notice before the answer (case 47)", "notice first"],
    ["two answers, of which the first counts (case 42)", "twice"],
  ] as const)("is answered despite %s, and so is the next one", async ([, manner]) => {
    const extension = extensionThat({ manner, answer: block })
    await extension.start()
    expect(await ask(extension)).toEqual({ kind: "result", value: block })
    expect(await ask(extension)).toEqual({ kind: "result", value: block })
    expect(extension.restarts).toBe(0)
  })

  it.for([
    ["text (case 43)", "text id"],
    ["no whole number (case 43)", "broken id"],
  ] as const)("times out when the id of the answer is %s", async ([, manner]) => {
    const clock = testClock()
    const record = join(temporaryFolder(), "record")
    const extension = extensionThat({ manner, answer: block, record }, extensionDeps({ clock }))
    await extension.start()
    const asked = ask(extension)
    await expect.poll(() => recorded(record).length, soon).toBe(2)
    await clock.advance(timing.hookMs)
    expect(await asked).toEqual({ kind: "given-up" })
    expect(extension.health).toBe("running")
  })

  it("may be answered with an error, without a restart (case 45)", async () => {
    const extension = extensionThat({ manner: "error" })
    await extension.start()
    expect(await ask(extension)).toEqual({ kind: "error", code: -32_000, message: "no idea" })
    expect(extension.restarts).toBe(0)
  })

  it("survives ten megabytes on stderr, of which little is logged (case 34)", async () => {
    const deps = extensionDeps()
    const extension = extensionThat({ manner: "flood stderr", answer: block }, deps)
    await extension.start()
    expect(await ask(extension, 60_000)).toEqual({ kind: "result", value: block })
    await expect.poll(() => deps.printed.at(-1), soon).toContain("omitted")
    expect(Buffer.byteLength(deps.printed.join("\n"))).toBeLessThan(140 * 1024)
  })

  it("survives many short lines on stderr, of which few are logged", async () => {
    const deps = extensionDeps()
    const extension = extensionThat({ manner: "flood stderr with short lines", answer: block }, deps)
    await extension.start()
    expect(await ask(extension, 60_000)).toEqual({ kind: "result", value: block })
    await expect.poll(() => deps.printed.at(-1), soon).toContain("omitted")
    expect(deps.printed.length).toBeLessThan(3000)
  })

  it("does not keep the extension from calling the host, with any id (case 49)", async () => {
    const record = join(temporaryFolder(), "record")
    const calls = [
      { id: 7, method: "no.such" },
      { id: "seven", method: "no.such" },
    ]
    const extension = extensionThat({ calls, record })
    await extension.start()
    await expect
      .poll(() => recorded(record), soon)
      .toEqual(
        expect.arrayContaining([
          expect.objectContaining({ id: 7, error: { code: -32_601, message: "there is no method no.such" } }),
          expect.objectContaining({ id: "seven", error: expect.objectContaining({ code: -32_601 }) }),
        ]),
      )
  })
})

describe("an extension that hangs", () => {
  it("costs the timeout and no restart (case 28)", async () => {
    const clock = testClock()
    const record = join(temporaryFolder(), "record")
    const extension = extensionThat({ manner: "hang", record }, extensionDeps({ clock }))
    await extension.start()
    const asked = ask(extension)
    await expect.poll(() => recorded(record).length, soon).toBe(2)
    await clock.advance(timing.hookMs)
    expect(await asked).toEqual({ kind: "given-up" })
    expect([extension.health, extension.restarts]).toEqual(["running", 0])
  })

  it("answers again after a late answer, which is dropped (case 29)", async () => {
    const clock = testClock()
    const record = join(temporaryFolder(), "record")
    const extension = extensionThat({ manner: "at a signal", answer: block, record }, extensionDeps({ clock }))
    await extension.start()
    const late = ask(extension)
    await expect.poll(() => recorded(record).length, soon).toBe(2)
    await clock.advance(timing.hookMs)
    expect(await late).toEqual({ kind: "given-up" })
    const next = ask(extension)
    await expect.poll(() => recorded(record).length, soon).toBe(3)
    process.kill(extension.pid ?? 0, "SIGUSR2") // answers both
    expect(await next).toEqual({ kind: "result", value: block })
  })

  it("gets one request at a time, and waiting counts (case 30)", async () => {
    const clock = testClock()
    const record = join(temporaryFolder(), "record")
    const extension = extensionThat({ manner: "at a signal", answer: block, record }, extensionDeps({ clock }))
    await extension.start()
    const asked = [ask(extension), ask(extension), ask(extension)]
    for (const requests of [2, 3]) {
      await expect.poll(() => recorded(record).length, soon).toBe(requests)
      await clock.advance(2000)
      process.kill(extension.pid ?? 0, "SIGUSR2")
    }
    await expect.poll(() => recorded(record).length, soon).toBe(4)
    await clock.advance(1000)
    const replies = await Promise.all(asked)
    expect(replies.map(({ kind }) => kind)).toEqual(["result", "result", "given-up"])
  })

  it("has the whole limit after the request was written, where waiting does not count", async () => {
    const clock = testClock()
    const record = join(temporaryFolder(), "record")
    const extension = extensionThat({ manner: "at a signal", answer: block, record }, extensionDeps({ clock }))
    await extension.start()
    const asked = [ask(extension, 5000, "written"), ask(extension, 5000, "written")]
    for (const requests of [2, 3]) {
      await expect.poll(() => recorded(record).length, soon).toBe(requests)
      await clock.advance(4000)
      process.kill(extension.pid ?? 0, "SIGUSR2")
    }
    expect((await Promise.all(asked)).map(({ kind }) => kind)).toEqual(["result", "result"])
  })
})
