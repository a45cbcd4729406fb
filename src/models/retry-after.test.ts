import { expect, it } from "vitest"
import { retryAfterMs } from "./verdict.ts"

const now = Date.parse("2026-11-15T12:00:00Z")

it.each([
  ["seconds", { "retry-after": "7" }, 7000],
  ["fractions of seconds", { "retry-after": "0.25" }, 250],
  ["a date", { "retry-after": "Sun, 15 Nov 2026 12:00:30 GMT" }, 30_000],
  ["a date that has passed", { "retry-after": "Sun, 15 Nov 2026 11:00:00 GMT" }, 0],
  ["milliseconds, before seconds", { "retry-after-ms": "125", "retry-after": "7" }, 125],
  ["nonsense as nothing", { "retry-after": "soon" }, undefined],
  ["an empty value as nothing", { "retry-after": "" }, undefined],
])("reads %s", (_, headers, expected) => {
  expect(retryAfterMs(headers, undefined, now)).toBe(expected)
})

it("reads Google's delay from the body", () => {
  const body = '{"error":{"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay": "34.5s"}]}}'
  expect(retryAfterMs({}, body, now)).toBe(34_500)
})

it("returns undefined without a delay", () => {
  expect(retryAfterMs(undefined, undefined, now)).toBeUndefined()
})
