import { describe, expect, it } from "vitest"
import { answerOf, assistant, called, result, scriptedModel, user, type Part } from "../../../testing/index.ts"

const hi = user("hi")
const three = [[{ text: "One." }], [{ text: "Two." }], [{ text: "Three." }]]

describe("the step of a script", () => {
  it("follows from the number of answers in the prompt, in any process", async () => {
    const say = async (...before: Parameters<typeof answerOf>[1]["prompt"]) =>
      (await answerOf(scriptedModel(three), { prompt: [hi, ...before] })).text
    expect(await say()).toBe("One.")
    expect(await say(assistant("One."), hi)).toBe("Two.")
    expect(await say(called({ id: "1", tool: "ls", input: {} }), result("1", "ls", "x"))).toBe("Two.")
    expect(await say(assistant("One."), hi, assistant("Two."), hi)).toBe("Three.")
  })

  it("is repeated until the prompt has its answer", async () => {
    const model = scriptedModel(three)
    expect((await answerOf(model, { prompt: [hi] })).text).toBe("One.")
    expect((await answerOf(model, { prompt: [hi, user("again")] })).text).toBe("One.")
  })

  it("keeps its number after a compaction", async () => {
    const model = scriptedModel(three)
    const wish = user("Summarise the conversation so far.")
    const { text } = await answerOf(model, { prompt: [hi, assistant("One."), hi, assistant("Two."), wish] })
    expect(text).toContain("Model calls so far: 2.")
    const compacted = user(`Summary of the conversation so far:\n\n${text}`)
    expect((await answerOf(model, { prompt: [compacted, hi] })).text).toBe("Three.")
  })

  it("is replaced by a message when the script is exhausted", async () => {
    const { text, finish } = await answerOf(scriptedModel([[{ text: "One." }]]), {
      prompt: [hi, assistant("One."), hi],
    })
    expect(text).toBe("The script is exhausted: The script has 1 step and this is model call 2.")
    expect(finish).toBe("stop")
  })
})

describe("a request for a summary", () => {
  it("is answered with the summary of the script", async () => {
    const model = scriptedModel({ steps: three, summary: "We greeted." })
    const { text } = await answerOf(model, {
      prompt: [hi, assistant("One."), user("Summarise the conversation so far.")],
    })
    expect(text).toBe("We greeted.\nModel calls so far: 1.")
  })
})

describe("an answer that was cut off", () => {
  const step = [
    { reasoning: "Hm." },
    { text: "Hello wide" },
    { chunks: [" wo", "rld"] },
    { call: { tool: "ls", input: {} } },
  ]

  it.each(["H", "Hello", "Hello wide", "Hello wide w", "Hello wide world"])("is continued after: %s", async (said) => {
    const { text, reasoning, calls } = await answerOf(scriptedModel([step]), { prompt: [hi, assistant(said)] })
    expect(said + text).toBe("Hello wide world")
    expect(reasoning).toBe("")
    expect(calls).toHaveLength(1)
  })

  it.each<[string, Part]>([
    ["cut", { cut: true }],
    ["error", { error: { message: "gone" } }],
    ["hang", { hang: true }],
  ])("continues after the %s that stopped it", async (_, stop) => {
    const model = scriptedModel([[{ text: "Hel " }, { delayMs: 1 }, stop, { text: "lo" }]])
    expect((await answerOf(model, { prompt: [hi, assistant("Hel ")] })).text).toBe("lo")
    expect((await answerOf(model, { prompt: [hi, assistant("Hel")] })).text).toBe("lo")
  })

  it("is repeated from its start when the prompt has a different beginning", async () => {
    const { text } = await answerOf(scriptedModel([step]), { prompt: [hi, assistant("Good day")] })
    expect(text).toBe("Hello wide world")
  })
})

describe("attempts", () => {
  const step = { attempts: [[{ error: { message: "busy", status: 503 } }], [{ text: "Here." }]] }

  it("give a repeated call the next one, and repeat the last", async () => {
    const model = scriptedModel([step])
    await expect(model.doStream({ prompt: [hi] })).rejects.toThrow("busy")
    expect((await answerOf(model, { prompt: [hi] })).text).toBe("Here.")
    expect((await answerOf(model, { prompt: [hi] })).text).toBe("Here.")
  })

  it("are counted per prompt", async () => {
    const model = scriptedModel([step])
    await expect(model.doStream({ prompt: [hi] })).rejects.toThrow("busy")
    await expect(model.doStream({ prompt: [user("another")] })).rejects.toThrow("busy")
  })
})

describe("expectations", () => {
  const model = scriptedModel([
    [{ expect: { lastUserText: "tea" } }, { text: "One." }],
    [{ expect: { toolResult: "hot" } }, { text: "Two." }],
  ])
  const call = called({ id: "1", tool: "ls", input: {} })

  it("that are met change nothing", async () => {
    expect((await answerOf(model, { prompt: [user("green tea")] })).text).toBe("One.")
    expect((await answerOf(model, { prompt: [hi, call, result("1", "ls", "it is hot")] })).text).toBe("Two.")
  })

  it("that are not met fail the call and name the step", async () => {
    await expect(model.doStream({ prompt: [user("coffee")] })).rejects.toThrow(
      'The script, step 1: expected a last user text with "tea", but it is "coffee".',
    )
    await expect(model.doStream({ prompt: [hi, call, result("1", "ls", "cold")] })).rejects.toThrow(
      'The script, step 2: expected a tool result with "hot", but found "cold".',
    )
    await expect(model.doStream({ prompt: [hi, assistant("x"), hi] })).rejects.toThrow("but there is none.")
  })
})

describe("a scripted model", () => {
  it("records its calls", async () => {
    const model = scriptedModel(three)
    await answerOf(model, { prompt: [hi], maxOutputTokens: 5 })
    expect(model.calls).toEqual([{ prompt: [hi], maxOutputTokens: 5 }])
  })
})
