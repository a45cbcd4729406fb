import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import type { JsonValue } from "../contract/values.ts"
import type { Behaviour } from "./fixtures/misbehaving.ts"
import { extensionDeps, recorded, specOf, temporaryFolder } from "./fixtures/plugins.ts"
import { hostExtension } from "./hosted-extension.ts"
import { modelNames } from "./bus/tool-names.ts"

const echo = { name: "echo", description: "says it again", input_schema: { type: "object" } }
const greeting = { protocol_version: 1, capabilities: { tools: [echo] } }
const never = new AbortController().signal

async function bringing(behaviour: Behaviour) {
  const spec = specOf({ greeting, ...behaviour }, { permissions: ["tools.register"], hooks: [] })
  const hosted = hostExtension(spec, false, extensionDeps(), new AbortController())
  onTestFinished(() => hosted.stop())
  await hosted.started
  return hosted
}

describe("a tool of an extension", () => {
  it.for([
    ["text", "hi", "hi"],
    ["an object with content", { content: "hi", more: 1 }, "hi"],
    ["any other JSON", { said: ["hi"] }, '{"said":["hi"]}'],
    ["null", null, "null"],
  ] as const satisfies readonly (readonly [string, JsonValue, string])[])(
    "may answer with %s",
    async ([, answer, output]) => {
      const record = join(temporaryFolder(), "record")
      const hosted = await bringing({ answer, record })
      expect(hosted.tools).toEqual([echo])
      expect(await hosted.callTool("echo", { text: "hi" }, never)).toEqual({ kind: "done", output })
      expect(recorded(record).at(-1)).toMatchObject({
        method: "tool.call",
        params: { name: "echo", input: { text: "hi" } },
      })
    },
  )

  it("that answers with an error fails with that message, and is called once (case 46)", async () => {
    const record = join(temporaryFolder(), "record")
    const hosted = await bringing({ manner: "error", record })
    expect(await hosted.callTool("echo", {}, never)).toEqual({ kind: "failed", reason: "no idea" })
    expect(recorded(record).filter(({ method }) => method === "tool.call")).toHaveLength(1)
    expect(hosted.status.restarts).toBe(0)
  })

  it("whose extension crashes is not retried, and works the next time", async () => {
    const folder = temporaryFolder()
    const record = join(folder, "record")
    const hosted = await bringing({ manner: "exit once", marker: join(folder, "marker"), answer: "hi", record })
    const reason = "The extension failed: it ended with exit code 1."
    expect(await hosted.callTool("echo", {}, never)).toEqual({ kind: "failed", reason })
    expect(recorded(record).filter(({ method }) => method === "tool.call")).toHaveLength(1)
    expect(await hosted.callTool("echo", {}, never)).toEqual({ kind: "done", output: "hi" })
  })

  it("ends at once when the call is cancelled", async () => {
    const record = join(temporaryFolder(), "record")
    const hosted = await bringing({ manner: "hang", record })
    const stopper = new AbortController()
    const answer = hosted.callTool("echo", {}, stopper.signal)
    await expect.poll(() => recorded(record).length, { timeout: 20_000 }).toBe(2)
    stopper.abort()
    expect(await answer).toMatchObject({ kind: "failed" })
  })
})

describe("model names of tools", () => {
  it("have only characters that every provider accepts, and a number where two would be equal", () => {
    const names = modelNames(["b:x y", "a:echo", "a_echo:", "a:é"], ["bash", "a_echo"])
    expect([...names]).toEqual([
      ["a:echo", "a_echo_2"],
      ["a:é", "a__"],
      ["a_echo:", "a_echo_"],
      ["b:x y", "b_x_y"],
    ])
  })

  it("have at most 128 characters, including the number", () => {
    const long = "x".repeat(140)
    expect([...modelNames([`${long}:a`, `${long}:b`], []).values()]).toEqual(["x".repeat(128), `${"x".repeat(126)}_2`])
  })
})
