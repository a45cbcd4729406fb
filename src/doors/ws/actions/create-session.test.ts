import { afterEach, expect, it } from "vitest"
import type { WsAllowances } from "../door-options.ts"
import { type ServedWs, serveWs } from "../../../testing/doors/served-ws.ts"
import { StubSession, stubPort } from "../../../testing/doors/stub-port.ts"

const opened: ServedWs[] = []
afterEach(async () => {
  for (const served of opened.splice(0)) await served.close()
})

it.each([
  ["used-up", { code: "RATE_LIMITED", message: "Too many new conversations. Please try again later." }],
  ["unavailable", { code: "INTERNAL_ERROR", message: "The conversation could not be opened. Please try again." }],
] as const)("refuses a conversation when the allowance of the caller is %s", async (take, error) => {
  const orgs: unknown[] = []
  const takeSession: WsAllowances["takeSession"] = async (_, org) => {
    orgs.push(org)
    return take
  }
  const allowances: WsAllowances = { takeFrame: () => true, takeSession }
  const caller = { principal: "jane", org: "shop", owner: "", account: "a" }
  const served = await serveWs(stubPort(new StubSession()), { allowances }, caller)
  opened.push(served)
  const client = await served.connect()
  client.say({ action: "create_conversation_session", requestId: "c", agentId: "default" })
  expect(await client.next("error", "c")).toMatchObject({ error })
  expect(orgs).toEqual(["shop"])
  await client.close()
})
