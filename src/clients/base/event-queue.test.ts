import { describe, expect, it, vi } from "vitest"
import { EventQueue } from "./event-queue.ts"

async function readAll<Item>(queue: EventQueue<Item>): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of queue) items.push(item)
  return items
}

describe("EventQueue", () => {
  it("delivers items in order, then its end", async () => {
    const queue = new EventQueue<number>()
    for (let item = 0; item < 3000; item += 1) queue.push(item)
    queue.end()
    queue.push(-1)
    expect(await readAll(queue)).toEqual(Array.from({ length: 3000 }, (_, index) => index))
  })

  it("gives an item to a waiting reader at once", async () => {
    const queue = new EventQueue<string>()
    const first = queue.next()
    queue.push("a", 10)
    expect(await first).toEqual({ done: false, value: "a" })
    expect(queue.weight).toBe(0)
  })

  it("delivers waiting items before the fault, and the first end wins", async () => {
    const queue = new EventQueue<string>()
    queue.push("a")
    queue.end(new Error("gone"))
    queue.end()
    expect(await queue.next()).toEqual({ done: false, value: "a" })
    await expect(queue.next()).rejects.toThrow("gone")
  })

  it("rejects waiting readers at a fault", async () => {
    const queue = new EventQueue<string>()
    const next = queue.next()
    queue.end(new Error("gone"))
    await expect(next).rejects.toThrow("gone")
  })

  it("merges unread items", async () => {
    const queue = new EventQueue<string>({ merge: (last, item) => (last === "!" ? undefined : last + item) })
    for (const item of ["a", "b", "!"]) queue.push(item)
    queue.end()
    expect(await readAll(queue)).toEqual(["ab!"])
  })

  it("replaces unread items at the limit", async () => {
    const queue = new EventQueue<string>({ maxItems: 2, onOverflow: (waiting) => `lost ${waiting.length}` })
    for (const item of ["a", "b", "c"]) queue.push(item)
    queue.end()
    expect(await readAll(queue)).toEqual(["lost 2", "c"])
  })

  it("ends with a fault at the limit if the owner wants that", async () => {
    const queue = new EventQueue<string>({ maxWeight: 5, onOverflow: () => new Error("too slow") })
    for (const item of ["a", "b"]) queue.push(item, 6)
    await expect(queue.next()).rejects.toThrow("too slow")
  })

  it("drops everything when its reader leaves, and reports that", async () => {
    const [onReturn, onDrain] = [vi.fn<() => void>(), vi.fn<() => void>()]
    const queue = new EventQueue<string>({ onReturn, onDrain })
    queue.push("a", 3)
    queue.push("b", 4)
    for await (const _ of queue) break
    expect(queue.weight).toBe(0)
    expect(onReturn).toHaveBeenCalledOnce()
    expect(onDrain).toHaveBeenCalled()
    queue.push("c")
    expect(await queue.next()).toEqual({ done: true, value: undefined })
  })
})
