// Models of an extension: in a turn, in lists, and in `ext check`.
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { eventually } from "./eventually.ts"
import { isObject } from "../../src/contract/json-object.ts"
import { object, type Json } from "./printed.ts"
import { newPlace, type Place } from "./turnhouse.ts"

const program = fileURLToPath(new URL("../../src/clients/extension/fixtures/speaker.ts", import.meta.url))

function installModelExtension(place: Place): string {
  const folder = join(place.home, "plugins", "speaker")
  mkdirSync(join(folder, ".synaps-plugin"), { recursive: true })
  const command = { runtime: "process", command: process.execPath, args: [program] }
  const extension = { ...command, permissions: ["providers.register"] }
  writeFileSync(join(folder, ".synaps-plugin", "plugin.json"), JSON.stringify({ extension }))
  return folder
}

function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

describe.concurrent("the model of an extension", () => {
  it("answers", async (test) => {
    const place = newPlace(test)
    installModelExtension(place)
    const answered = await place.run("run", "good morning", "--model", "speaker:talk:echo")
    expect(answered).toMatchObject({ code: 0, stdout: "You said: good morning\n" })
  })

  it("works with built-in tools, and may be the configured model", async (test) => {
    const place = newPlace(test)
    installModelExtension(place)
    place.config({ model: "speaker:work:hand" })
    const { code, stdout } = await place.run("run", "go", "--yes")
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringMatching(/^The tool says: /) })
  })

  it("that does not exist is reported in one line", async (test) => {
    const place = newPlace(test)
    const { code, stderr } = await place.run("run", "hi", "--model", "speaker:talk:echo")
    expect(code).not.toBe(0)
    expect(stderr).toContain("Model speaker:talk:echo belongs to an extension, and this session has no extensions.")
  })

  it("is listed while a session is open that has it, and its extension is named when none is", async (test) => {
    const place = newPlace(test)
    installModelExtension(place)
    const closed = await place.run("models")
    expect(closed.stdout).toContain("while a session with them is open: speaker.")
    const waiting = { call: { tool: "bash", input: { command: "until [ -e go ]; do sleep 0.05; done" } } }
    const running = place.start(["run", "wait", "--yes", "--model", place.script([[waiting], [{ text: "Over." }]])])
    const [shown] = await eventually("a model of an extension", async () => {
      const models = listOf(object((await place.run("models", "--json")).stdout)["models"])
      const extensionModels = models.filter(({ provider }) => provider === "speaker:talk")
      return extensionModels.length === 0 ? undefined : extensionModels
    })
    expect(shown).toMatchObject({ id: "speaker:talk:echo", contextWindow: 64_000, isDefault: false })
    expect((await place.run("models")).stdout).toMatch(/^ +speaker:work:hand +\? +\? +\?$/m)
    expect((await place.run("ext", "ls")).stdout).toMatch(/^speaker:work:hand +Hand +\?$/m)
    place.write("go", "")
    expect(await running.ended).toMatchObject({ code: 0 })
  })

  it("is listed when its extension is checked, and asked only if that is wanted", async (test) => {
    const place = newPlace(test)
    const folder = installModelExtension(place)
    const { code, stdout } = await place.run("ext", "check", folder)
    expect(code).toBe(0)
    expect(stdout).toMatch(/speaker:talk:echo: echo, context of 64000 tokens, calls no tools; not called/)
    const asked = await place.run("ext", "check", folder, "--ask-models", "--json")
    const models = listOf(object(asked.stdout)["models"])
    expect({ code: asked.code, models }).toMatchObject({
      code: 0,
      models: [
        {
          name: "speaker:talk:echo",
          answer: { ok: true, words: "it says: You said: Say hello in one word.", deltas: 2 },
        },
        { name: "speaker:work:hand", answer: { ok: true, words: "it says: There are no tools." } },
      ],
    })
  })
})
