import { APICallError } from "@ai-sdk/provider"
import { describe, expect, it } from "vitest"
import { faultSentence } from "./fault-sentence.ts"
import { InStreamError } from "./faults.ts"
import { ModelUnavailable } from "./model-source.ts"

const sentenceOf = (thrown: unknown) => faultSentence(thrown, (text) => text)

function answered(statusCode: number | undefined, message: string, cause?: unknown) {
  return new APICallError({
    message,
    url: "https://api.example.com/v1/messages?secret=planted",
    requestBodyValues: { messages: ["the whole conversation"] },
    responseBody: `{"whole":"body","message":"${message}"}`,
    ...(statusCode === undefined ? {} : { statusCode }),
    ...(cause === undefined ? {} : { cause }),
  })
}

it("does not describe an answer that broke off after status 200 as refused", () => {
  const cut = { statusCode: 200, url: "http://127.0.0.1:9/v1", message: "Failed to process successful response" }
  expect(sentenceOf(cut)).toBe("127.0.0.1:9 aborted its answer: Failed to process successful response")
  expect(sentenceOf({ ...cut, cause: { code: "ECONNRESET" } })).toBe(
    "The connection to 127.0.0.1:9 broke (ECONNRESET).",
  )
})

describe("the sentence about a fault", () => {
  it("contains the provider's message and host", () => {
    const error = answered(400, "prompt is too long: 210000 tokens > 200000 maximum")
    expect(sentenceOf(error)).toBe(
      "api.example.com refused the request (400): prompt is too long: 210000 tokens > 200000 maximum",
    )
  })

  it.each([401, 403])("omits the provider's message about a key (%i)", (status) => {
    const sentence = sentenceOf(answered(status, "Incorrect API key provided: hunter2-hunter2"))
    expect(sentence).toBe(`api.example.com refused the key, or the key lacks a permission (${status}).`)
  })

  it.each([
    "sk-ant-api03-abcdefghijklmnop",
    "sk-proj-****abcd",
    "AIzaSyA-1234567890abcdef",
    "AKIAIOSFODNN7EXAMPLE",
    "Bearer eyJhbGciOiJIUzI1NiJ9",
    "0123456789abcdef0123456789abcdef01234567",
  ])("redacts what looks like a key: %s", (key) => {
    expect(sentenceOf(answered(500, `broken with ${key} inside`))).not.toContain(key.replace("Bearer ", ""))
  })

  it("is one short line, however long the provider's message is", () => {
    const sentence = sentenceOf(answered(500, `first\nsecond ${"word ".repeat(500)}`))
    expect(sentence).toMatch(/^api\.example\.com is failing \(500\): first second word/)
    expect(sentence).not.toContain("\n")
    expect(sentence.length).toBeLessThan(300)
  })

  it("contains neither the request nor the body nor the query", () => {
    expect(sentenceOf(answered(500, "oops"))).not.toMatch(/conversation|whole|planted/)
  })

  it.each([
    ["ECONNREFUSED", "Nothing answers at api.example.com (ECONNREFUSED): is the server running?"],
    ["ENOTFOUND", "The name api.example.com cannot be found (ENOTFOUND)."],
    ["ECONNRESET", "The connection to api.example.com broke (ECONNRESET)."],
  ])("explains a failed connection: %s", (code, sentence) => {
    const error = answered(undefined, "Cannot connect to API", Object.assign(new Error("x"), { code }))
    expect(sentenceOf(error)).toBe(sentence)
  })

  it("describes an error inside a stream", () => {
    expect(sentenceOf(new InStreamError({ message: "Overloaded" }))).toBe("The provider aborted its answer: Overloaded")
  })

  it("keeps messages of our own errors unchanged", () => {
    expect(sentenceOf(new ModelUnavailable("Set KEY."))).toBe("Set KEY.")
  })

  it.each([[undefined], [null], ["text"], [{}]])("never throws: %s", (thrown) => {
    expect(sentenceOf(thrown)).toMatch(/^The model call failed/)
  })
})

it("redacts a known secret before the message is shortened, and before other keys are taken out", () => {
  const secret = 'AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-/"rest-of-the-secret'
  const redact = (text: string) => text.replaceAll(secret, "‹redacted›")
  for (let length = 150; length < 240; length += 7) {
    const sentence = faultSentence(answered(400, `${"word ".repeat(length / 5)}${secret}`), redact)
    expect(sentence).not.toMatch(/AbCdEf|rest-of/)
  }
})
