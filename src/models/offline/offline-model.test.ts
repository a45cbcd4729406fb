import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { answerOf, assistant, user } from "../../testing/index.ts"
import { ModelUnavailable } from "../model-source.ts"
import { offlineChoice, offlineModel } from "./index.ts"
import { MAX_SCRIPT_BYTES } from "./script/read-script.ts"

const usage = { input: 1_000_000, output: 500_000, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, reasoning: 0 }
let folder = ""

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "offline-model-"))
})
afterAll(() => rm(folder, { recursive: true }))

async function script(text: string): Promise<string> {
  const path = join(folder, `${crypto.randomUUID()}.json`)
  await writeFile(path, text)
  return path
}

describe("an offline model's name", () => {
  it.each(["offline/demo", "offline/demo:0", "demo", "offline"])("%s is the demo and costs nothing", async (name) => {
    const choice = await offlineChoice(name)
    expect(choice).toMatchObject({ name, contextWindow: 32_000, takesPrefill: true })
    expect(choice.model).toMatchObject({ provider: "offline", specificationVersion: "v4" })
    expect(choice.costUsd(usage)).toBe(0)
  })

  it.each(["offline/large", "offline/script:", "offline/demo:fast"])("%s is refused", async (name) => {
    expect(() => offlineModel(name)).toThrow(ModelUnavailable)
    await expect(offlineChoice(name)).rejects.toThrow(`There is no offline model "${name}"`)
  })
})

describe("a script file", () => {
  it("is a list of steps", async () => {
    const path = await script('[[{"text": "One."}], [{"text": "Two."}]]')
    const model = offlineModel(`offline/script:${path}`, { delayMs: 0 })
    expect((await answerOf(model, { prompt: [user("hi")] })).text).toBe("One.")
    expect((await answerOf(model, { prompt: [user("hi"), assistant("One."), user("and?")] })).text).toBe("Two.")
  })

  it("may have comments, trailing commas and settings", async () => {
    const path = await script(`{
      // a demonstration
      "contextWindow": 1000, "maxOutput": 50, "delayMs": 0, "pricePerMillion": {"input": 3, "output": 10},
      "steps": [[{"text": "One."},],],
    }`)
    const choice = await offlineChoice(`offline/script:${path}`)
    expect(choice).toMatchObject({ contextWindow: 1000, maxOutput: 50 })
    expect(choice.costUsd(usage)).toBe(8)
    expect((await answerOf(choice.model, { prompt: [user("hi")] })).text).toBe("One.")
  })

  it("may declare its price unknown", async () => {
    const path = await script('{"steps": [], "pricePerMillion": null}')
    expect((await offlineChoice(`offline/script:${path}`)).costUsd(usage)).toBeUndefined()
  })

  it("counts attempts across model objects", async () => {
    const path = await script('[{"attempts": [[{"error": {"message": "busy"}}], [{"text": "Here."}]]}]')
    const model = () => offlineModel(`offline/script:${path}`, { delayMs: 0 })
    await expect(model().doStream({ prompt: [user("hi")] })).rejects.toThrow("busy")
    expect((await answerOf(model(), { prompt: [user("hi")] })).text).toBe("Here.")
  })

  it("plays every part that is documented", async () => {
    const path = await script(`[[
      {"expect": {"lastUserText": "hi", }}, {"reasoning": "Hm."}, {"text": "One"}, {"delayMs": 1}, {"untilFile": "/"}, {"chunks": [" two"]},
      {"error": {"message": "oops", "status": 500, "retryAfter": 1, "inStream": true}},
      {"call": {"tool": "ls", "input": {"path": "."}}}, {"call": {"tool": "ls", "inputText": "{", "id": "x"}},
      {"usage": {"input": 5, "output": 6, "cacheRead": 1, "cacheWrite": 2, "reasoning": 3}}, {"finish": "other"},
      {"cut": true}, {"hang": true},
    ]]`)
    const answer = await answerOf(offlineModel(`offline/script:${path}`, { delayMs: 0 }), { prompt: [user("hi")] })
    expect(answer.text).toBe("One two")
    expect(answer.calls.map((call) => call.input)).toEqual(['{"path":"."}', "{"])
  })
})

describe("an invalid script", () => {
  it.each([
    ["5", 'a script is a list of steps, or an object with "steps"'],
    ["{}", 'needs "steps"'],
    ['{"steps": 5}', '"steps" must be a list of steps'],
    ['{"steps": [], "delay": 5}', 'has an unknown member "delay"; known are steps, summary'],
    ['{"steps": [], "contextWindow": "big"}', '"contextWindow" must be a number, zero or more'],
    ['{"steps": [], "pricePerMillion": {"input": 1}}', '"pricePerMillion" needs "output"'],
    ["[5]", 'step 1 must be a list of parts, or an object with "attempts"'],
    ['[[], [{"text": "a"}, 5]]', 'step 2, part 2 must be an object such as {"text": "…"}'],
    ["[[{}]]", "step 1, part 1 is empty; it must have one of text, chunks"],
    ['[[{"txt": "a"}]]', 'step 1, part 1 has an unknown member "txt"'],
    ['[[{"constructor": "a"}]]', 'step 1, part 1 has an unknown member "constructor"'],
    ['[[{"gate": {}}]]', 'step 1, part 1 has an unknown member "gate"'],
    ['[[{"text": "a", "cut": true}]]', "step 1, part 1 has text and cut; a part has only one of these"],
    ['[[{"text": 5}]]', "step 1, part 1 text must be a string"],
    ['[[{"chunks": ["a", 5]}]]', "step 1, part 1 chunks must be a list of strings"],
    ['[[{"call": {"input": {}}}]]', 'step 1, part 1 call needs "tool"'],
    ['[[{"call": {"tool": "ls"}}]]', 'step 1, part 1 call must have either "input" or "inputText"'],
    ['[[{"call": {"tool": "ls", "input": 1, "inputText": ""}}]]', 'call must have either "input" or "inputText"'],
    ['[[{"delayMs": -1}]]', "step 1, part 1 delayMs must be a number, zero or more"],
    ['[[{"error": {"status": 500}}]]', 'step 1, part 1 error needs "message"'],
    ['[[{"error": {"message": "a", "inStream": 1}}]]', '"inStream" must be true or false'],
    ['[[{"cut": false}]]', "step 1, part 1 cut must be true"],
    ['[[{"finish": "soon"}]]', "step 1, part 1 finish must be one of stop, length"],
    ['[[{"usage": {"tokens": 1}}]]', 'step 1, part 1 usage has an unknown member "tokens"'],
    ['[[{"expect": "tea"}]]', "step 1, part 1 expect must be an object"],
    ['[{"attempts": []}]', 'step 1 "attempts" must be a list of lists of parts'],
    ['[{"attempts": [[], [{"text": 5}]]}]', "step 1, attempt 2, part 1 text must be a string"],
    ['[\n[{"text": "a"\n]', "is not JSON: CommaExpected in line 3"],
  ])("is refused with the location of the mistake: %s", async (text, problem) => {
    const path = await script(text)
    await expect(offlineChoice(`offline/script:${path}`)).rejects.toThrow(`The script ${path}`)
    await expect(offlineChoice(`offline/script:${path}`)).rejects.toThrow(problem)
    await expect(offlineChoice(`offline/script:${path}`)).rejects.toBeInstanceOf(ModelUnavailable)
  })

  it.each(["/dev/zero", tmpdir()])("is refused if it is not a regular file: %s", async (path) => {
    await expect(offlineChoice(`offline/script:${path}`)).rejects.toThrow(`The script ${path} is not a regular file.`)
  })

  it("is refused at the size limit, without reading the rest", async () => {
    const path = join(folder, "endless.json")
    await writeFile(path, "")
    await truncate(path, 2 ** 40) // sparse
    await expect(offlineChoice(`offline/script:${path}`)).rejects.toThrow(`more than ${MAX_SCRIPT_BYTES} bytes`)
  })

  it("that does not exist is named", async () => {
    const path = join(folder, "none.json")
    await expect(offlineChoice(`offline/script:${path}`)).rejects.toThrow(`The script ${path} cannot be read (ENOENT).`)
    const call = offlineModel(`offline/script:${path}`).doStream({ prompt: [user("hi")] })
    await expect(call).rejects.toBeInstanceOf(ModelUnavailable)
  })
})
