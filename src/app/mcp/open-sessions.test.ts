import { describe, expect, it } from "vitest"
import type { McpServerReport } from "../../contract/views/host.ts"
import type { ListedServer } from "./list.ts"
import { reportsOf, withOpenSessions, type HostServers } from "./open-sessions.ts"

const shop: ListedServer = {
  name: "shop",
  transport: "stdio",
  state: "not started",
  problem: null,
  trusted: false,
  source: "/config.json",
}

function hostWith(...reports: readonly Partial<McpServerReport>[]): HostServers {
  const sessionId = "01890000-0000-7000-8000-000000000001"
  const facts = { name: "shop", source: "/config.json", sessionId, tools: 1, pid: 7, connectMs: 3, lastError: null }
  const host = { hostId: "h", role: "run", pid: 1, expiresAt: 0 }
  return { host, value: reports.map((report) => ({ ...facts, state: "ready", ...report })) }
}

function stateOf(server: ListedServer, ...hosts: readonly HostServers[]) {
  return withOpenSessions({ servers: [server], problems: [] }, hosts).servers[0]?.state
}

describe("the state of a server", () => {
  it("is that of its settings where no session has used it", () => {
    expect(stateOf(shop)).toBe("not started")
    expect(stateOf(shop, { ...hostWith(), value: undefined })).toBe("not started")
    expect(stateOf(shop, hostWith({ state: "idle" }))).toBe("not started")
  })

  it("is that of open sessions, and running if it runs in one of them", () => {
    expect(stateOf(shop, hostWith({ state: "failed" }))).toBe("failed")
    expect(stateOf(shop, hostWith({ state: "failed" }), hostWith({ state: "ready" }))).toBe("running")
  })

  it("stays logged in while a session still waits for the login", () => {
    expect(stateOf({ ...shop, state: "logged in" }, hostWith({ state: "needs login" }))).toBe("logged in")
  })

  it("stays disabled or invalid while an open session still runs it", () => {
    expect(stateOf({ ...shop, transport: null, state: "invalid" }, hostWith({}))).toBe("invalid")
  })
})

it("a server of the same name in another file is another server", () => {
  expect(reportsOf(shop, [hostWith({ source: "/other.json" }, {})])).toMatchObject([{ source: "/config.json" }])
})
