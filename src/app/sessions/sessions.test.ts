import { expect, it } from "vitest"
import { openMemoryLog } from "../../log/sqlite/sqlite-log.ts"
import { newSession, testHost } from "../../testing/test-host.ts"
import { scriptedSource } from "../../testing/index.ts"
import { newestIn } from "./sessions.ts"

it("newestIn ignores sessions of visitors", async () => {
  const log = openMemoryLog()
  const { host } = await testHost(scriptedSource([]), [], {}, log)
  const own = await newSession(host, { cwd: "/shop", preset: "careful" })
  await newSession(host, { cwd: "/shop", preset: "service", org: "public" })
  expect((await newestIn(log, "/shop"))?.sessionId).toBe(own.id)
  expect(await newestIn(log, "/elsewhere")).toBeUndefined()
})
