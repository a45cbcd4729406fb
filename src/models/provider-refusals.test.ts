// How refusals of each provider are recognised, against a real server on loopback.
import { describe, expect, it } from "vitest"
import { anthropic, ask, bedrock, connect, google, hello, local, openai } from "../../spec/provider-server/connect.ts"
import type { Reply } from "../../spec/provider-server/script.ts"
import { PromptTooLong, QuotaExhausted } from "./faults.ts"

describe("a request that is too long", () => {
  it.each([
    [anthropic, { type: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" }],
    [openai, { code: "context_length_exceeded", message: "Your input exceeds the context window of this model." }],
    [local, { message: "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens." }],
    [
      google,
      {
        type: "INVALID_ARGUMENT",
        message: "The input token count (1048600) exceeds the maximum number of tokens allowed (1048576).",
      },
    ],
    [bedrock, { message: "Input is too long for requested model." }],
  ])("is recognised by the message of $name and not retried", async (format, error) => {
    const { fault, slept } = await ask(await connect(format, { status: 400, error }))
    expect(fault).toBeInstanceOf(PromptTooLong)
    expect(slept).toEqual([])
  })
})

describe("exhausted credit", () => {
  it.each([
    [anthropic, { status: 400, error: { message: "Your credit balance is too low to access the API." } }],
    [openai, { status: 429, error: { type: "insufficient_quota", code: "insufficient_quota" } }],
    [local, { status: 402, error: { message: "Payment required" } }],
  ] as const)("is a quota, not a failure: $name", async (format, reply) => {
    const { fault, server } = await ask(await connect(format, reply))
    expect(fault).toBeInstanceOf(QuotaExhausted)
    expect(fault).toMatchObject({ until: undefined })
    expect(server.requests).toHaveLength(1)
  })
})

it("recognises Google's refusal of a key, which has status 400", async () => {
  const refusal: Reply = { status: 400, error: { message: "API key not valid.", code: "API_KEY_INVALID" } }
  const { fault } = await ask(await connect(google, refusal))
  expect(fault).toHaveProperty("message", expect.stringContaining("google refused the key (400)"))
})

it("names the address of a server that does not answer", async () => {
  const choice = await connect(local, hello)
  const { url } = choice.server
  await choice.server.close()
  const { fault } = await ask(choice, { attempts: 2 })
  expect(fault).toHaveProperty(
    "message",
    `Nothing answers at ${new URL(url).host} (ECONNREFUSED): is the server running?`,
  )
})
