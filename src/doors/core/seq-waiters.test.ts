import { expect, it } from "vitest"
import { SeqWaiters } from "./seq-waiters.ts"

it("resolves a request when its event was sent, and keeps later ones waiting", async () => {
  const waiters = new SeqWaiters()
  const resolved: number[] = []
  const requests = [2, 3, 5].map((seq) => waiters.waitFor(seq).then(() => resolved.push(seq)))
  waiters.resolveUpTo(3)
  await Promise.all(requests.slice(0, 2))
  expect(resolved).toEqual([2, 3])
  waiters.resolveUpTo(Infinity)
  await Promise.all(requests)
  expect(resolved).toEqual([2, 3, 5])
})
