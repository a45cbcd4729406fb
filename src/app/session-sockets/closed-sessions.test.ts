import { describe, expect, it } from "vitest"
import { noStatus } from "../../projection/status.ts"
import { closedSessions, servesClosedSessions } from "./closed-sessions.ts"

const hosts = (...listed: readonly (readonly [hostId: string, role: string])[]) =>
  listed.map(([hostId, role], index) => ({ hostId, role, pid: index + 1 }))

function serving(...listed: readonly (readonly [hostId: string, role: string])[]): readonly string[] {
  const all = hosts(...listed)
  return all.map(({ hostId }) => hostId).filter((hostId) => servesClosedSessions(all, hostId))
}

describe("the host that serves the sockets of closed sessions", () => {
  it("is the background host, else a server, else any other host", () => {
    expect(serving(["a", "rpc"], ["b", "serve"], ["c", "host"])).toEqual(["c"])
    expect(serving(["a", "rpc"], ["b", "serve"])).toEqual(["b"])
    expect(serving(["b", "rpc"], ["a", "rpc"])).toEqual(["a"])
  })

  it("is never a leaving host or a command without sockets", () => {
    expect(serving(["a", "host, leaving"], ["b", "rm"], ["c", "run"])).toEqual(["c"])
  })
})

describe("closed sessions with a socket", () => {
  const row = (sessionId: string, status: object, owner?: { hostId: string; role: string; pid: number }) => ({
    sessionId,
    createdAt: 1,
    updatedAt: 1,
    seq: 1,
    owner,
    summary: {
      ...noStatus,
      ...status,
      messages: { ...noStatus.messages },
      usage: JSON.parse(JSON.stringify(noStatus.usage)),
    },
  })

  it("are those without a host that have not ended and are not suspended", () => {
    const [owner] = hosts(["a", "host"])
    const rows = [row("1", {}), row("2", {}, owner), row("3", { life: "ended" }), row("4", { hibernated: true })]
    expect(closedSessions(rows).map(({ sessionId }) => sessionId)).toEqual(["1"])
  })
})
