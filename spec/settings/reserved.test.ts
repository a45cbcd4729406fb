import { describe, expect, it } from "vitest"
import { newPlace } from "../e2e/turnhouse.ts"

const reserved = [
  {
    config: { store: { type: "postgres", url: "postgres://h/db" } },
    said: "store.type: PostgreSQL is not supported yet",
  },
  { config: { bus: { type: "nats", url: "nats://h:4222" } }, said: "bus.type: NATS is not supported yet" },
  { config: { events: { wake: ["mail"] } }, said: "events.wake: events cannot start turns yet" },
  { env: { TURNHOUSE_DATABASE_URL: "postgres://u:pass-7751@h/db" }, said: "PostgreSQL is not supported yet" },
  { env: { TURNHOUSE_NATS_URL: "nats://h:4222" }, said: "NATS is not supported yet" },
]

describe.each(reserved)("a reserved setting: $said", ({ config = {}, env = {}, said }) => {
  it.for([
    ["run", "hello"],
    ["serve", "--port", "0"],
  ])("is refused by %j with exit code 2 and one line", async (args, test) => {
    const place = newPlace(test)
    place.config(config)
    const { code, stdout, stderr } = await place.start(args, { env }).ended
    expect({ code, stdout, lines: stderr.trim().split("\n").length }).toEqual({ code: 2, stdout: "", lines: 1 })
    expect(stderr).toContain(said)
    expect(stderr).not.toContain("pass-7751")
  })

  it("is a problem for doctor, with exit code 2", async (test) => {
    const place = newPlace(test)
    place.config(config)
    const { code, stdout } = await place.start(["doctor"], { env }).ended
    expect(code).toBe(2)
    expect(stdout).toContain(said)
    expect(stdout).not.toContain("pass-7751")
  })
})
