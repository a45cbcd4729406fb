// Short slices of the proofs with the real program, and an interrupt.
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { targets } from "../../src/app/prove/fuzz/targets.ts"
import { listed } from "../../src/cli/prove/proofs.ts"
import { eventually } from "../e2e/eventually.ts"
import { newPlace, program } from "../e2e/turnhouse.ts"
import { countsIn, homesIn, leftBehind, misfitOf, startProof } from "./place.ts"

// What the proofs find in a copy with each of them is in the long tests.
it.for(readdirSync(new URL("../bugs", import.meta.url)).filter((name) => name.endsWith(".patch")))(
  "%s fits the sources",
  (patch) => expect(misfitOf(patch)).toBe(""),
)

describe("turnhouse prove", () => {
  it.for([
    ["crash", "kills", 10, ["lost", "doubled", "broken"]],
    ["cuts", "cuts", 40, ["lost", "doubled", "broken"]],
    ["tenants", "requests", 1500, ["leaked", "broken"]],
    ["visitor", "hostile-frames", 1500, ["broken"]],
    ["orphans", "runs", 3, ["broken"]],
    ["approvals", "answers", 300, ["lost", "doubled", "broken"]],
    ["secrets", "planted", 25, ["leaked", "broken"]],
    ["long", "tokens", 100_000, ["lost", "doubled", "broken"]],
    ["simulation", "sessions", 60, ["lost", "doubled", "broken"]],
    ["disk", "trials", 150, ["lost", "doubled", "broken"]],
    ["locks", "histories", 30, ["lost", "doubled", "broken"]],
    ["fuzz", "frames", 400, ["broken"]],
  ] as const)("%s: finds every promise kept, and leaves nothing behind", async ([proof, unit, least, kinds], test) => {
    const place = newPlace(test)
    const ended = await startProof(place, program, proof, `--${unit}`, String(least), "--seed", "1", "--json").ended
    expect({ code: ended.code, stderr: ended.stderr, stdout: ended.stdout }).toMatchObject({ code: 0, stderr: "" })
    const { [unit]: count, ...others } = countsIn(ended)
    expect(others).toEqual(Object.fromEntries(kinds.map((kind) => [kind, 0])))
    expect(count).toBeGreaterThanOrEqual(least)
    expect(await leftBehind(place)).toEqual([])
  })

  it("ends its processes and removes its homes on Ctrl-C", async (test) => {
    const place = newPlace(test)
    const running = startProof(place, program, "crash")
    await eventually("a host stores events", () => {
      const logs = homesIn(place).map((name) => join(place.root, name, "0/home/turnhouse.db-wal"))
      return logs.some((log) => existsSync(log)) || undefined
    })
    running.signal("SIGINT")
    const { code, stderr } = await running.ended
    expect({ code, stderr }).toEqual({
      code: 130,
      stderr: "turnhouse: interrupted. The processes of the proof are ended and its homes are removed.\n",
    })
    expect(await leftBehind(place)).toEqual([])
  })

  it.for([
    [[], "name a proof: turnhouse prove crash"],
    [
      ["tea"],
      "'tea' is not a proof. Use crash, cuts, tenants, visitor, orphans, approvals, long, simulation, disk, locks, secrets, fuzz or all.",
    ],
    [["fuzz", "--door", "tea"], `--door: 'tea' is not one of ${listed(targets.map(({ name }) => name))}`],
    [["crash", "--kills", "0"], "--kills: '0' is not a number from 1 to 1000000000"],
  ] as const)("refuses %s", async ([args, message], test) => {
    const { code, stderr } = await newPlace(test).run("prove", ...args)
    expect({ code, stderr }).toEqual({ code: 2, stderr: `turnhouse: ${message}\n` })
  })
})
