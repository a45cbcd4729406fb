import { describe, expect, it } from "vitest"
import { SessionWatch } from "./session-watch.ts"

async function isResolved(promise: Promise<void>): Promise<boolean> {
  return Promise.race([promise.then(() => true), Promise.resolve().then(() => Promise.resolve(false))])
}

describe("a watch of a session", () => {
  it("is live for an earlier watcher, too, when a second one opens the session before it was", async () => {
    const watch = new SessionWatch()
    watch.startOpening()
    watch.markOpen(true)
    const first = watch.live
    watch.startOpening()
    watch.markOpen(true)
    expect(await isResolved(first)).toBe(false)
    watch.markLive()
    await Promise.all([first, watch.live])
    expect(await isResolved(first)).toBe(true)
  })

  it("ignores that an earlier opening is live while the newest is not answered", async () => {
    const watch = new SessionWatch()
    watch.startOpening()
    watch.markOpen(true)
    watch.startOpening()
    watch.markLive()
    expect(await isResolved(watch.live)).toBe(false)
    watch.markOpen(true)
    watch.markLive()
    expect(await isResolved(watch.live)).toBe(true)
  })
})
