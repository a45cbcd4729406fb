import { describe, expect, it } from "vitest"
import { openMemoryLog } from "../log/sqlite/sqlite-log.ts"
import { newSession, testHost, you } from "../testing/test-host.ts"
import { scriptedSource } from "../testing/index.ts"
import { findSession } from "./directory.ts"

const ids = ["0190aaaa-0000-7000-8000-000000000001", "0190aaaa-0000-7000-8000-000000000002"] as const

async function twoSessions() {
  const log = openMemoryLog()
  const { host } = await testHost(scriptedSource([]), [], {}, log)
  const one = await newSession(host, { sessionId: ids[0], name: "build", aliases: ["ticket-7"] })
  await newSession(host, { sessionId: ids[1] })
  const found = async (idOrName: string) => {
    const outcome = await findSession(log, idOrName)
    return outcome.kind === "ok" ? outcome.value.sessionId : outcome.refusal.code
  }
  return { one, found }
}

describe("a session is found", () => {
  it.each([
    ["its id", ids[0], ids[0]],
    ["its id in capitals", ids[0].toUpperCase(), ids[0]],
    ["its name", "build", ids[0]],
    ["a name that others use", "ticket-7", ids[0]],
    ["a part of its id that no other has", "0000000001", ids[0]],
    ["nothing shorter than six characters", "00001", "session.unknown"],
    ["nothing that fits two", "0190aaaa", "session.ambiguous"],
    ["nothing else", "deploy", "session.unknown"],
  ])("by %s", async (_, idOrName, expected) => {
    const { found } = await twoSessions()
    expect(await found(idOrName)).toBe(expected)
  })

  it("not by a name that a visitor gave to a conversation", async () => {
    const log = openMemoryLog()
    const { host } = await testHost(scriptedSource([]), [], {}, log)
    const own = await newSession(host, { name: "build" })
    await newSession(host, { name: "build", aliases: ["deploy"], org: "public", preset: "service" })
    expect(await findSession(log, "build")).toMatchObject({ value: { sessionId: own.id } })
    expect(await findSession(log, "deploy")).toMatchObject({ refusal: { code: "session.unknown" } })
  })

  it("by an alias that was added later; a name wins over another session's alias", async () => {
    const { one, found } = await twoSessions()
    await one.send({ type: "alias", alias: "later" }, you)
    expect(await found("later")).toBe(ids[0])
  })
})
