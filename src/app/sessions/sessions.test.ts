import { expect, it } from "vitest"
import { openMemoryLog } from "../../log/memory/memory-log.ts"
import { newSession, testHouse } from "../../testing/test-host.ts"
import { scriptedSource } from "../../testing/index.ts"
import { newestIn } from "./sessions.ts"

it("the session here is never one of a visitor, however new that is", async () => {
  const log = openMemoryLog()
  const { house } = await testHouse(scriptedSource([]), [], {}, log)
  const own = await newSession(house, { cwd: "/shop", preset: "careful" })
  await newSession(house, { cwd: "/shop", preset: "service", org: "public" })
  expect((await newestIn(log, "/shop"))?.sessionId).toBe(own.id)
  expect(await newestIn(log, "/elsewhere")).toBeUndefined()
})
