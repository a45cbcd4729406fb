// What a read costs in trips to the thread pool: at least two switches between threads each, whatever the machine does.
import { createHook } from "node:async_hooks"
import { afterEach, expect, it } from "vitest"
import { workbenches } from "../fixtures/workbench.ts"

const openBench = workbenches()
let trips = 0
const hook = createHook({
  init: (_id, type) => {
    if (type === "FSREQPROMISE" || type === "FSREQCALLBACK" || type === "FILEHANDLECLOSEREQ") trips += 1
  },
})
afterEach(() => hook.disable())

async function tripsOfRead(text: string): Promise<number> {
  const bench = openBench()
  bench.put("a.txt", text)
  await bench.call("read", { path: "a.txt" }) // loads what the first one needs
  trips = 0
  hook.enable()
  const { outcome } = await bench.call("read", { path: "a.txt", limit: 10 })
  hook.disable()
  expect(outcome).toBe("done")
  return trips
}

it("opens, reads and closes a small file, and asks the thread pool nothing else", async () => {
  expect(await tripsOfRead("one\ntwo\n")).toBe(3)
  expect(await tripsOfRead("")).toBe(3)
})

it("reads a larger file once, in pieces of 64 KiB", async () => {
  expect(await tripsOfRead("0123456789abcde\n".repeat(3 * 4096))).toBe(2 + 3 + 1)
})
