import { expect, it, vi } from "vitest"
import { PendingRequests } from "./pending-requests.ts"

const pending = () => new PendingRequests<string, string>((name, ms) => new Error(`${name} took more than ${ms} ms`))
const read = (response: string) => response.toUpperCase()

it("resolves each request with its own response, once", async () => {
  const requests = pending()
  const [first, second] = ["1", "2"].map((key) => requests.wait(key, { name: "ask", read }))
  expect(requests.answer("2", "b")).toBe(true)
  expect(requests.answer("2", "again")).toBe(false)
  expect(requests.answer("1", "a")).toBe(true)
  expect(await Promise.all([first, second])).toEqual(["A", "B"])
})

it("rejects with what reading the response throws", async () => {
  const requests = pending()
  const refuse = () => {
    throw new Error("refused")
  }
  const request = requests.wait("1", { name: "ask", read: refuse })
  requests.answer("1", "no")
  await expect(request).rejects.toThrow("refused")
})

it("rejects at the timeout and ignores a late response", async () => {
  vi.useFakeTimers()
  const requests = pending()
  const request = requests.wait("1", { name: "ask", read, timeoutMs: 50 })
  const [outcome] = await Promise.all([Promise.allSettled([request]), vi.advanceTimersByTimeAsync(50)])
  expect(outcome).toMatchObject([{ status: "rejected", reason: { message: "ask took more than 50 ms" } }])
  expect(requests.answer("1", "late")).toBe(false)
  vi.useRealTimers()
})

it("rejects with the reason of its signal", async () => {
  const requests = pending()
  const stop = new AbortController()
  const request = requests.wait("1", { name: "ask", read, signal: stop.signal })
  stop.abort(new Error("enough"))
  await expect(request).rejects.toThrow("enough")
  await expect(requests.wait("2", { name: "ask", read, signal: stop.signal })).rejects.toThrow("enough")
})

it("rejects all when the connection is gone", async () => {
  const requests = pending()
  const waiting = ["1", "2"].map((key) => requests.wait(key, { name: `request ${key}`, read }))
  requests.rejectAll((name) => new Error(`${name} lost`))
  const outcomes = await Promise.allSettled(waiting)
  expect(outcomes.map((outcome) => (outcome.status === "rejected" ? String(outcome.reason) : ""))).toEqual([
    "Error: request 1 lost",
    "Error: request 2 lost",
  ])
})
