import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { ALONE_MS, DeliberateKeys, QUIET_MS } from "./deliberate-keys.ts"

const events: string[] = []

beforeEach(() => {
  events.length = 0
  vi.useFakeTimers()
})
afterEach(() => vi.useRealTimers())

function keys(): DeliberateKeys {
  return new DeliberateKeys({
    ready: () => events.push("ready"),
    ignored: () => events.push("ignored"),
    key: ({ name }) => events.push(`key ${name}`),
  })
}

const key = (name: string | undefined) => ({ name, ctrl: false })

it("takes a key that comes alone after a moment of quiet", async () => {
  const taking = keys()
  await vi.advanceTimersByTimeAsync(QUIET_MS + 1)
  taking.take(key("y"))
  expect(events).toEqual(["ready"])
  await vi.advanceTimersByTimeAsync(ALONE_MS + 1)
  expect(events).toEqual(["ready", "key y"])
})

it("ignores keys that were typed before, however many, until they stop", async () => {
  const taking = keys()
  for (let count = 0; count < 10; count += 1) {
    taking.take(key("y"))
    await vi.advanceTimersByTimeAsync(QUIET_MS - 1)
  }
  expect(events).toEqual([])
  await vi.advanceTimersByTimeAsync(2)
  expect(events).toEqual(["ready"])
})

it("ignores keys that come together", async () => {
  const taking = keys()
  await vi.advanceTimersByTimeAsync(QUIET_MS + 1)
  taking.take(key("y"))
  taking.take(key("return"))
  await vi.advanceTimersByTimeAsync(QUIET_MS + 1)
  expect(events).toEqual(["ready", "ignored", "ready"])
})

it("ignores a paste, also one that comes slowly", async () => {
  const taking = keys()
  await vi.advanceTimersByTimeAsync(QUIET_MS + 1)
  for (const name of ["paste-start", "y", "y"]) {
    taking.take(key(name))
    await vi.advanceTimersByTimeAsync(10 * QUIET_MS)
  }
  expect(events).toEqual(["ready", "ignored"])
  taking.take(key("paste-end"))
  await vi.advanceTimersByTimeAsync(QUIET_MS + 1)
  expect(events).toEqual(["ready", "ignored", "ready"])
})

it("takes nothing after it is stopped", async () => {
  const taking = keys()
  await vi.advanceTimersByTimeAsync(QUIET_MS + 1)
  taking.take(key("y"))
  taking.stop()
  await vi.advanceTimersByTimeAsync(1000)
  expect(events).toEqual(["ready"])
})
