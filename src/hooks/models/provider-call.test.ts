import { expect, it } from "vitest"
import type { RequestLimit } from "../process/extension.ts"
import { callProvider, type ProviderCall } from "./provider-call.ts"

const params = {
  provider_id: "p",
  model_id: "m",
  model: "x:p:m",
  messages: [],
  system_prompt: null,
  tools: [],
  temperature: null,
  max_tokens: null,
  thinking_budget: 0,
}

/** How it was asked. */
async function limitOf(method: ProviderCall["method"]): Promise<RequestLimit | undefined> {
  let asked: RequestLimit | undefined
  const line = {
    extension: "x",
    ms: 1,
    debug: () => {},
    request: async (_method: string, _params: unknown, limit: RequestLimit) => {
      asked = limit
      return { kind: "result", value: { content: [{ type: "text", text: "hi" }] } } as const
    },
  }
  await callProvider(line, { method, params, signedBy: "x:p" }, new AbortController().signal, () => {})
  return asked
}

it("only stream events extend the time limit of a stream", async () => {
  const limit = await limitOf("provider.stream")
  const event = { type: "text", delta: "hello" }
  expect(limit?.onNotice?.({ kind: "notice", method: "provider.stream.event", params: event })).toBe(true)
  expect(limit?.onNotice?.({ kind: "notice", method: "task.update", params: {} })).toBe(false)
})

it("no notification extends the time limit of a complete answer", async () => {
  expect((await limitOf("provider.complete"))?.onNotice).toBeUndefined()
})
