import { fixedSkills } from "../../testing/skills.ts"
import { describe, expect, it } from "vitest"
import { scriptedSource } from "../../testing/index.ts"
import { newSession, testHost, turn, you } from "../../testing/test-host.ts"
import { portOf } from "../../testing/doors/served-host.ts"
import { visitOf } from "./conversations.ts"

const visitId = "6f1c0f4e-0000-4000-8000-000000000001"
const participants = { user: "6f1c0f4e-0000-4000-8000-00000000000a", agent: "6f1c0f4e-0000-4000-8000-00000000000b" }

describe("a query for a visit", () => {
  it("returns its session, how it was opened, and the visitor's current contact", async () => {
    const { host } = await testHost(scriptedSource([]))
    const session = await newSession(host, { preset: "service" })
    const contact = { name: "Ada" }
    const visit = { visitId, agentId: "shop", contact, participants }
    await session.send({ type: "open-visit", ...visit, supports: ["choice_chips"] }, you)
    const later = { ...visit, visitId: visitId.replace(/1$/, "2"), contact: { email: "a@b.example" } }
    await session.send({ type: "open-visit", ...later }, you)
    const known = { name: "Ada", email: "a@b.example" }
    const opened = { principal: "you", supports: ["choice_chips"] }
    expect(await portOf(host).query({ type: "visit", visitId })).toEqual({
      kind: "answer",
      value: { sessionId: session.id, visit: { ...visit, ...opened }, contact: known },
    })
    expect(await portOf(host).query({ type: "visit", visitId: later.visitId })).toMatchObject({
      value: { visit: { ...later, ...opened } },
    })
  })

  it("is answered for a closed session without opening it", async () => {
    const { host } = await testHost(scriptedSource([]))
    const session = await newSession(host, { preset: "service" })
    await session.send({ type: "open-visit", visitId, agentId: "shop", contact: {}, participants }, you)
    await host.closeSession(session.id)
    expect(await portOf(host).query({ type: "visit", visitId })).toMatchObject({
      value: { sessionId: session.id, visit: { supports: [] } },
    })
    expect(host.size).toBe(0)
  })

  it("reads only the visit for a brief answer", async () => {
    const { host } = await testHost(scriptedSource([]))
    const session = await newSession(host, { preset: "service" })
    const visit = { visitId, agentId: "shop", contact: {}, participants }
    await session.send({ type: "open-visit", ...visit }, you)
    host.opened = () => Promise.reject(new Error("the session was read"))
    expect(await visitOf(host, { type: "visit", visitId, brief: true })).toEqual({
      kind: "ok",
      value: { sessionId: session.id, visit: { ...visit, principal: "you" } },
    })
  })

  it("refuses an unknown visit", async () => {
    const { host } = await testHost(scriptedSource([]))
    expect(await portOf(host).query({ type: "visit", visitId })).toEqual({
      kind: "refused",
      refusal: { code: "session.unknown", wanted: visitId },
    })
  })
})

describe("a query for conversations", () => {
  it("returns those of an organisation or an owner that have messages, newest first", async () => {
    let now = 1000
    const { host } = await testHost(scriptedSource([[{ text: "Hello." }]]), [], { now: () => (now += 1) })
    const port = portOf(host)
    const make = (org: string, owner: string) => newSession(host, { preset: "service", org, owner })
    const sessions = [
      await make("acme", "a"),
      await make("acme", "b"),
      await make("public", ""),
      await make("acme", "a"),
    ]
    for (const session of sessions) await turn(session, "hi")
    for (let n = 0; n < 5; n++) await make("acme", "a")
    const listed = async (owner?: string, limit?: number) => {
      const answered = await port.query({ type: "conversations", org: "acme", owner, limit })
      const lines = answered.kind === "answer" && Array.isArray(answered.value) ? answered.value : []
      return lines.map((line: { sessionId: string }) => sessions.findIndex(({ id }) => id === line.sessionId))
    }
    expect(await listed()).toEqual([3, 1, 0])
    expect(await listed("a")).toEqual([3, 0])
    expect(await listed(undefined, 2)).toEqual([3, 1])
    expect(await listed("a", 1)).toEqual([3])
    expect(await port.query({ type: "conversations", org: "acme" })).toMatchObject({
      value: [{ activity: "idle", status: { title: "hi", turns: 1 } }, {}, {}],
    })
  })
})

describe("a query for skills", () => {
  it("lists those of an open session", async () => {
    const skills = fixedSkills({ returns: "" })
    const { host } = await testHost(scriptedSource([]), [], { skills })
    const session = await newSession(host)
    expect(await portOf(host).query({ type: "skills", sessionId: session.id })).toEqual({
      kind: "answer",
      value: ["returns"],
    })
    await host.closeSession(session.id)
    expect(await portOf(host).query({ type: "skills", sessionId: session.id })).toMatchObject({ kind: "refused" })
  })
})
