import { beforeEach, describe, expect, it } from "vitest"
import type { Answers, Queries } from "../../contract/queries.ts"
import { GuardedPort, type Rights } from "../../doors/house/guarded-port.ts"
import { portOf } from "../../testing/doors/served-host.ts"
import { scriptedSource } from "../../testing/index.ts"
import { newSession, testHost, turn, type TestHost } from "../../testing/test-host.ts"
import type { SessionActor } from "../../runner/session-actor.ts"

let made: TestHost
let work: SessionActor
let shop: SessionActor
let empty: SessionActor

beforeEach(async () => {
  made = await testHost(scriptedSource(Array.from({ length: 9 }, () => [{ text: "Done." }])))
  work = await newSession(made.host, { cwd: "/home/jane/infra" })
  await turn(work, "Rotate the backup keys")
  shop = await newSession(made.host, { org: "acme", owner: "eve", preset: "service" })
  await turn(shop, "Where is my order?")
  empty = await newSession(made.host)
})

async function page(
  query: Omit<Queries["session-page"], "type">,
  port: Pick<GuardedPort, "query"> = portOf(made.host),
) {
  const answered = await port.query({ type: "session-page", ...query })
  if (answered.kind === "refused") throw new Error(answered.refusal.code)
  return answered.value
}

function titles({ rows }: Answers["session-page"]) {
  return rows?.map(({ line }) => line.status.title)
}

describe("a page of the sessions", () => {
  it("has those in which something happened, newest first, and says how many there are", async () => {
    const first = await page({ limit: 1 })
    expect(first).toMatchObject({ total: 2, matching: 2, offset: 0 })
    expect(titles(first)).toEqual(["Where is my order?"])
    expect(titles(await page({ limit: 5, offset: 1 }))).toEqual(["Rotate the backup keys"])
    expect(titles(await page({ limit: 5, offset: 70 }))).toEqual([])
  })

  it("is filtered by title and folder", async () => {
    expect(await page({ limit: 5, filter: " infra " })).toMatchObject({ total: 2, matching: 1 })
    expect(titles(await page({ limit: 5, filter: "order" }))).toEqual(["Where is my order?"])
    expect(await page({ limit: 5, filter: "zzz" })).toMatchObject({ matching: 0, rows: [] })
  })

  it("is sent again only when it has changed", async () => {
    const { version } = await page({ limit: 5 })
    const same = await page({ limit: 5, known: version })
    expect(same).toMatchObject({ version, total: 2 })
    expect(same.rows).toBeUndefined()
    await turn(shop, "Hello?")
    expect(titles(await page({ limit: 5, known: version }))).toHaveLength(2)
  })

  it("counts and lists for a key only the sessions that it opens", async () => {
    const keyFor = (sees: Rights["sees"]) => new GuardedPort(portOf(made.host), { roles: ["watch"], sees })
    const ofAcme = keyFor({ org: "acme" })
    expect(await page({ limit: 5, scope: { org: "local" } }, ofAcme)).toMatchObject({ total: 1, matching: 1 })
    expect(titles(await page({ limit: 5 }, ofAcme))).toEqual(["Where is my order?"])
    const ofOne = keyFor({ sessionId: work.id })
    expect(titles(await page({ limit: 5 }, ofOne))).toEqual(["Rotate the backup keys"])
    expect(titles(await page({ limit: 5, scope: { sessionId: shop.id } }, ofOne))).toEqual(["Rotate the backup keys"])
    const ofAll = keyFor("everything")
    expect(await page({ limit: 5 }, ofAll)).toMatchObject({ total: 2 })
    expect(await page({ limit: 5, scope: { org: "acme" } }, ofAll)).toMatchObject({ total: 1 })
  })
})

it("lines of sessions are those that exist and that the key opens", async () => {
  const sessionIds = [empty.id, shop.id, shop.id, "01890000-0000-7000-8000-000000000009"]
  const port = portOf(made.host)
  expect(await port.query({ type: "session-lines", sessionIds })).toMatchObject({
    value: [{ sessionId: empty.id }, { sessionId: shop.id }],
  })
  const guarded = new GuardedPort(port, { roles: ["watch"], sees: { org: "acme" } })
  const seen = await guarded.query({ type: "session-lines", sessionIds })
  expect(seen).toMatchObject({ value: [{ sessionId: shop.id }] })
  expect(seen).toMatchObject({ value: { length: 1 } })
})

it("a tree has the session, its agents and those above it", async () => {
  const child = await newSession(made.host, {
    parent: { sessionId: work.id, rootId: work.id, reason: "look", depth: 1 },
  })
  const grandchild = await newSession(made.host, {
    parent: { sessionId: child.id, rootId: work.id, reason: "look", depth: 2 },
  })
  const tree = async (sessionId: string) => {
    const answered = await portOf(made.host).query({ type: "session-tree", sessionId })
    return answered.kind === "answer" ? answered.value.map((line) => line.sessionId) : answered.refusal.code
  }
  expect(await tree(grandchild.id)).toEqual([work.id, child.id, grandchild.id])
  expect(await tree(shop.id)).toEqual([shop.id])
  expect(await tree("01890000-0000-7000-8000-000000000009")).toBe("session.unknown")
})
