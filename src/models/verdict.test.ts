import { APICallError } from "@ai-sdk/provider"
import { describe, expect, it } from "vitest"
import { BrokenAnswer, InStreamError } from "./faults.ts"
import { ModelUnavailable } from "./model-source.ts"
import { verdictOn } from "./verdict.ts"

const now = 1_000_000

function answered(statusCode: number, more: { headers?: Record<string, string>; data?: unknown; body?: string } = {}) {
  return new APICallError({
    message: "no",
    url: "https://api.example.com/v1/messages",
    requestBodyValues: {},
    statusCode,
    ...(more.headers === undefined ? {} : { responseHeaders: more.headers }),
    ...(more.data === undefined ? {} : { data: more.data }),
    ...(more.body === undefined ? {} : { responseBody: more.body }),
  })
}

describe("a failed call", () => {
  it.each([408, 409, 429, 500, 502, 503, 529])("is retried after status %i", (status) => {
    expect(verdictOn(answered(status), now)).toEqual({ kind: "again", afterMs: undefined })
  })

  it.each([400, 401, 403, 404, 413, 422])("is not retried after status %i", (status) => {
    expect(verdictOn(answered(status), now)).toEqual({ kind: "final" })
  })

  it("is retried after the delay that the provider asks for", () => {
    const error = answered(429, { headers: { "retry-after": "60" } })
    expect(verdictOn(error, now)).toEqual({ kind: "again", afterMs: 60_000 })
  })

  it("waits for a quota when the limit ends after more than a minute", () => {
    const error = answered(429, { headers: { "retry-after": "61" } })
    expect(verdictOn(error, now)).toEqual({ kind: "quota", until: now + 61_000 })
  })

  it("is retried within a minute when a failing server asks for more", () => {
    const error = answered(503, { headers: { "retry-after": "3600" } })
    expect(verdictOn(error, now)).toEqual({ kind: "again", afterMs: 60_000 })
  })

  it.each([
    ["OpenAI", answered(429, { data: { error: { message: "…", type: "insufficient_quota" } } })],
    ["Anthropic", answered(400, { body: '{"error":{"message":"Your credit balance is too low to access…"}}' })],
    ["a gateway", answered(402)],
    ["a stream", new InStreamError({ message: "…", code: "insufficient_quota" })],
  ])("waits for a quota when %s reports exhausted credit", (_, error) => {
    expect(verdictOn(error, now)).toEqual({ kind: "quota", until: undefined })
  })

  it("is retried when the connection failed", () => {
    const cause = Object.assign(new Error("connect"), { code: "ECONNREFUSED" })
    expect(verdictOn(new TypeError("fetch failed", { cause }), now).kind).toBe("again")
  })

  it.each([
    ["an answer that broke", new BrokenAnswer("silence"), "again"],
    ["an overload inside a stream", new InStreamError({ message: "…", type: "server_error" }), "again"],
    ["a bad request inside a stream", new InStreamError({ message: "…", type: "invalid_request_error" }), "final"],
    ["a missing key", new ModelUnavailable("no key"), "final"],
    ["a mistake of our own", new TypeError("x is not a function"), "final"],
  ])("decides on %s", (_, error, kind) => {
    expect(verdictOn(error, now).kind).toBe(kind)
  })
})
