import { expect, it } from "vitest"
import type { SessionHandle, Watcher } from "../../contract/host-port.ts"
import { eventItem, stubId } from "../../testing/doors/stub-port.ts"
import { eventsBetween } from "./past-model.ts"

/** As of another process: events come after the watch was accepted. */
function remoteHandle(send: (watcher: Watcher) => void) {
  const log: string[] = []
  const handle: SessionHandle = {
    sessionId: stubId,
    send: () => Promise.reject(new Error("not used")),
    watch: async (cursor, watcher) => {
      log.push(`watch ${cursor}`)
      setImmediate(() => send(watcher))
      return () => log.push("unwatch")
    },
  }
  return { handle, log }
}

it("waits for the events of another process, up to the end, then stops watching", async () => {
  const { handle, log } = remoteHandle((watcher) => [3, 4, 5, 6].forEach((seq) => watcher(eventItem(seq))))
  const events = await eventsBetween(handle, 2, 5)
  expect(events.map(({ seq }) => seq)).toEqual([3, 4, 5])
  expect(log).toEqual(["watch 2", "unwatch"])
})

it("ends with what it has when the session is lost", async () => {
  const { handle } = remoteHandle((watcher) => {
    watcher(eventItem(1))
    watcher({ kind: "lost", refusal: { code: "host.gone" } })
  })
  expect(await eventsBetween(handle, 0, 5)).toHaveLength(1)
})

it("watches nothing where there is nothing to read", async () => {
  const { handle, log } = remoteHandle(() => {})
  expect(await eventsBetween(handle, 5, 5)).toEqual([])
  expect(log).toEqual([])
})
