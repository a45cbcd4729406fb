import { describe, expect, it } from "vitest"
import { answerOf, assistant, called, offer, result, user } from "../../../testing/index.ts"
import { offlineModel } from "../offline-model.ts"
import { conversationToSummarise } from "./summary.ts"

const model = offlineModel("offline/demo:0")
const conversation = [
  user("read a.txt, then write x to b.txt"),
  called(
    { id: "1", tool: "read", input: { path: "a.txt" } },
    { id: "2", tool: "bash", input: { command: "npm test" } },
  ),
  result("1", "read", "text"),
  result("2", "bash", { type: "error-text", value: "2 failed" }),
  called({ id: "3", tool: "write", input: { path: "b.txt", content: "x" } }),
  result("3", "write", { type: "error-text", value: "Denied by ada." }),
  assistant("I did not write b.txt."),
]
const instruction =
  "Summarise the conversation so far, for yourself, so that the work can go on without it. Keep: names."

describe("a summary", () => {
  it("lists requests, files, commands and the last answer", async () => {
    const prompt = [{ role: "system", content: instruction } as const, ...conversation, user(instruction)]
    expect((await answerOf(model, { prompt })).text).toBe(
      [
        "The user asked:",
        "- read a.txt, then write x to b.txt",
        "Files read: a.txt.",
        "Files changed: b.txt (denied).",
        "Commands run: npm test (failed).",
        "Last answer: I did not write b.txt.",
        "Model calls so far: 3.",
      ].join("\n"),
    )
  })

  it("keeps the text and the count of an earlier summary", async () => {
    const earlier = user(
      "Summary of the conversation so far:\n\nThe user asked:\n- look around\nModel calls so far: 4.",
    )
    const { text } = await answerOf(model, { prompt: [earlier, ...conversation, user(instruction)] })
    expect(text).toContain("Before that: The user asked: - look around\n")
    expect(text).toContain("Model calls so far: 7.")
  })

  it("has a bounded length", async () => {
    const long = Array.from({ length: 500 }, (_, index) => [
      user(`question ${index} ${"word ".repeat(500)}`),
      called({ id: `r${index}`, tool: "read", input: { path: `${index}.txt` } }),
      result(`r${index}`, "read", "x".repeat(1000)),
      assistant(`answer ${index} ${"word ".repeat(500)}`),
    ]).flat()
    const { text } = await answerOf(model, { prompt: [...long, user(instruction)] })
    expect(text.length).toBeLessThan(4000)
    expect(text).toContain("- question 0 ")
    expect(text).toContain("- question 499 ")
    expect(text).toContain("and 480 more")
  })
})

describe("a summary is requested", () => {
  it.each([
    "summarise this conversation",
    "Please summarize our discussion.",
    "Give me a short summary of the chat so far",
  ])("by a user's message: %s", (message) => {
    expect(conversationToSummarise([...conversation, user(message)], { tools: offer("ls") })).toEqual(conversation)
  })

  it("by instructions alone when no tools are offered", () => {
    const prompt = [{ role: "system", content: instruction } as const, ...conversation]
    expect(conversationToSummarise(prompt, {})).toEqual(conversation)
    expect(conversationToSummarise(prompt, { tools: offer("ls") })).toBeUndefined()
  })

  it.each(["read summary.txt", "what is the history of tea?", "find summary in src"])("not by: %s", (message) => {
    expect(conversationToSummarise([...conversation, user(message)], { tools: offer("ls") })).toBeUndefined()
  })
})
