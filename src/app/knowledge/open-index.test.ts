import { DatabaseSync } from "node:sqlite"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { temporaryIndex, type TemporaryIndex } from "../../knowledge/fixtures/temporary-index.ts"
import { withIndex } from "./open-index.ts"

let index: TemporaryIndex
let other: DatabaseSync

beforeEach(async () => {
  index = temporaryIndex()
  await index.put({ name: "tea.md", text: "Tea." })
  other = new DatabaseSync(index.path)
  other.exec("begin immediate")
})
afterEach(() => {
  other.close()
  index.delete()
})

/** Resolves when the work waits for the other process. */
function working(signal: AbortSignal) {
  const { promise: waiting, resolve } = Promise.withResolvers<string>()
  const place = { home: index.folder, config: {} }
  const work = withIndex(place, { onProgress: resolve, signal }, async ({ writer }) => writer.has("local", "tea.md"))
  return { waiting, work }
}

describe("an index that another process writes", () => {
  it("delays the command, which reports that it waits", async () => {
    const { waiting, work } = working(new AbortController().signal)
    expect(await waiting).toBe("waiting for another process, which is writing to the index")
    other.exec("rollback")
    expect(await work).toBe(true)
  })

  it("delays the command no longer after the signal", async () => {
    const stop = new AbortController()
    const { waiting, work } = working(stop.signal)
    await waiting
    stop.abort()
    await expect(work).rejects.toBe(stop.signal.reason)
  })
})
