import { expect, it } from "vitest"
import type { HostQuery } from "../../contract/queries.ts"
import { StubSession, stubPort } from "../../testing/doors/stub-port.ts"
import { GuardedPort, type Rights } from "./guarded-port.ts"

const sessionId = "01890000-0000-7000-8000-000000000001"
const other = "01890000-0000-7000-8000-000000000002"

/** What reaches the host. */
async function passed(sees: Rights["sees"], query: HostQuery): Promise<readonly object[]> {
  const asked: object[] = []
  const port = stubPort(new StubSession(), {
    query: async (one) => {
      asked.push(one)
      return { kind: "refused", refusal: { code: "host.leaving" } }
    },
  })
  await new GuardedPort(port, { roles: ["watch"], sees }).query(query)
  return asked
}

const overAll = [
  { type: "session-page", limit: 5 },
  { type: "search-sessions", text: "keys" },
  { type: "usage-history", days: 7 },
] as const

it.each(overAll)("narrows $type to the sessions of the key, whatever the client asks for", async (query) => {
  expect(await passed("everything", query)).toEqual([query])
  expect(await passed({ org: "acme" }, query)).toEqual([{ ...query, scope: { org: "acme" } }])
  expect(await passed({ sessionId }, query)).toEqual([{ ...query, scope: { sessionId } }])
  const scope = { org: "globex", sessionId: other }
  expect(await passed({ org: "acme" }, { ...query, scope })).toEqual([
    { ...query, scope: { org: "acme", sessionId: other } },
  ])
  expect(await passed({ sessionId }, { ...query, scope })).toEqual([{ ...query, scope: { org: "globex", sessionId } }])
})

it.each([
  { type: "documents", limit: 5 },
  { type: "document", org: "globex", name: "a.md", limit: 5 },
  { type: "search-documents", text: "keys", limit: 5 },
] as const)("narrows $type to the organisation and groups of the client", async (query) => {
  const sees = { org: "acme", groups: ["staff"] }
  expect(await passed(sees, query)).toEqual([{ ...query, org: "acme", groups: ["staff"] }])
  const asked = { ...query, org: "globex", groups: ["board", "staff"] }
  expect(await passed(sees, asked)).toEqual([{ ...query, org: "acme", groups: ["staff"] }])
  expect(await passed({ org: "acme" }, asked)).toEqual([{ ...query, org: "acme", groups: [] }])
  expect(await passed("everything", query)).toEqual([])
  expect(await passed({ sessionId }, query)).toEqual([])
})
