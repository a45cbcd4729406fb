import { describe, expect, it } from "vitest"
import { newPlace } from "../e2e/turnhouse.ts"

const reserved = [{ config: { events: { wake: ["mail"] } }, said: "events.wake: events cannot start turns yet" }]

describe.each(reserved)("a reserved setting: $said", ({ config, said }) => {
  it.for([
    ["run", "hello"],
    ["serve", "--port", "0"],
  ])("is refused by %j with exit code 2 and one line", async (args, test) => {
    const place = newPlace(test)
    place.config(config)
    const { code, stdout, stderr } = await place.start(args).ended
    expect({ code, stdout, lines: stderr.trim().split("\n").length }).toEqual({ code: 2, stdout: "", lines: 1 })
    expect(stderr).toContain(said)
  })

  it("is a problem for doctor, with exit code 2", async (test) => {
    const place = newPlace(test)
    place.config(config)
    const { code, stdout } = await place.start(["doctor"]).ended
    expect(code).toBe(2)
    expect(stdout).toContain(said)
  })
})
