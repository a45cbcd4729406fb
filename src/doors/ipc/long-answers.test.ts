// Answers of many megabytes: streamed in chunks, then one message.
import { expect, it } from "vitest"
import { ipcWorld } from "../../testing/doors/ipc-world.ts"
import type { ReceivedFrame } from "../../testing/doors/line-client.ts"
import { scriptedSource } from "../../testing/scripted-source.ts"

const KiB = 1024
const MiB = KiB * KiB

function answering(count: number, piece: string) {
  return scriptedSource([[{ chunks: Array.from({ length: count }, () => piece) }]], { maxOutput: 100 * MiB })
}

function contentOf(received: ReceivedFrame): string {
  const message = received["message"]
  const isObject = typeof message === "object" && message !== null
  return isObject && "content" in message && typeof message.content === "string" ? message.content : ""
}

function isAnswer(received: ReceivedFrame): boolean {
  const message = received["message"]
  return typeof message === "object" && message !== null && "role" in message && message.role === "assistant"
}

it.each([
  ["in a few large pieces", 10, "x".repeat(MiB)],
  ["in more pieces than an outbox holds", 2 * KiB, "x".repeat(5 * KiB)],
])("an answer of 10 MiB %s ends with a message_added that has all of it", async (_, count, piece) => {
  const { viewer } = await ipcWorld(answering(count, piece))
  const watching = await viewer()
  watching.say({ type: "user_input", content: "go", context_files: [] })
  expect(contentOf(await watching.of("message_added", isAnswer))).toHaveLength(10 * MiB)
  await watching.of("stream_end")
  expect(watching.all("error")).toEqual([])
})

it("an answer that is longer than a line ends with a message_added with the number of missing characters", async () => {
  const { viewer } = await ipcWorld(answering(10, '"'.repeat(MiB)))
  const watching = await viewer()
  watching.say({ type: "user_input", content: "go", context_files: [] })
  const content = contentOf(await watching.of("message_added", isAnswer))
  expect(content.length).toBeGreaterThan(7 * MiB)
  const [shown = "", note] = content.split("\n") // a pattern over the whole text could exhaust the stack
  expect(shown).toBe('"'.repeat(shown.length))
  expect(note).toMatch(/^\[\d+ more characters are not shown here\]$/)
  expect(watching.all("error")).toEqual([])
})
