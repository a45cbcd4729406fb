import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { newPlace } from "../e2e/turnhouse.ts"

const TURNHOUSE_CLUSTER_SECRET = "cluster-0123456789abcdef-0123456789"
const env = { TURNHOUSE_CLUSTER_SECRET }
const commands = [["run", "--model", "offline/demo:0", "hello"], ["ls"], ["serve", "--port", "0"], ["link", "--ls"]]

describe("TURNHOUSE_CLUSTER_SECRET", () => {
  it("gives nodes the same keys, whatever their first command is", async (test) => {
    const nodes = [newPlace(test), newPlace(test)]
    const [first, second] = nodes
    expect((await first?.start(["run", "--model", "offline/demo:0", "hello"], { env }).ended)?.code).toBe(0)
    expect((await second?.start(["link", "--role", "watch"], { env }).ended)?.code).toBe(0)
    expect((await second?.start(["new", "--model", "offline/demo"], { env }).ended)?.code).toBe(0)
    const keys = nodes.map(({ home }) => ["secret.key", "console.key"].map((name) => readFileSync(join(home, name))))
    expect(keys[1]).toEqual(keys[0])
  })

  it.for(commands)("that is too short is refused with exit code 2 and one line: %j", async (args, test) => {
    const place = newPlace(test)
    const { code, stderr } = await place.start(args, { env: { TURNHOUSE_CLUSTER_SECRET: "short-7751" } }).ended
    expect({ code, lines: stderr.trim().split("\n").length }).toEqual({ code: 2, lines: 1 })
    expect(stderr).toContain("TURNHOUSE_CLUSTER_SECRET has 10 characters, and needs at least 32")
    expect(stderr).not.toContain("short-7751")
  })

  it.for(commands)("is refused for a home with other keys, with exit code 2 and one line: %j", async (args, test) => {
    const place = newPlace(test)
    await place.run("run", "--model", "offline/demo:0", "hello")
    const { code, stderr } = await place.start(args, { env }).ended
    expect({ code, lines: stderr.trim().split("\n").length }).toEqual({ code: 2, lines: 1 })
    expect(stderr).toContain("secret.key is not the key that TURNHOUSE_CLUSTER_SECRET gives. Unset the variable")
    const doctor = await place.start(["doctor"], { env }).ended
    expect(doctor.code).not.toBe(0)
    expect(doctor.stdout).toContain("secret.key is not the key that TURNHOUSE_CLUSTER_SECRET gives")
  })
})
