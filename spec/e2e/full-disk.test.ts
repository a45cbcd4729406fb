// A disk without room, played by a limit on the size of files: what cannot be stored is not accepted, a result waits
// for room and says so, and afterwards the home is as good as before.
import { describe, expect, it } from "vitest"
import { complaintOf, expectNoStack, wellSaid } from "./complaints.ts"
import { expectIdle, expectValid } from "./history.ts"
import { object } from "./printed.ts"
import type { Running } from "./running.ts"
import { newPlace, type Place } from "./turnhouse.ts"

const waits = "a result waits to be stored"
const command = "echo x>>f; head -c 60000 /dev/zero | tr '\\0' a"

/** Blocks of 512 bytes are all that any file may have. */
function limited(place: Place, blocks: number): Running {
  const call = { call: { tool: "bash", input: { command } } }
  const model = place.script([[{ text: "I look." }, call], [{ text: "Seen." }]])
  const line = `ulimit -f ${blocks}; exec ${place.program} run hi --yes --json --model ${model}`
  return place.startOther("/bin/sh", ["-c", line])
}

async function expectGoodHome(place: Place): Promise<void> {
  expect(object((await place.run("verify", "--json")).stdout)).toEqual({ damage: [] })
  const after = await place.run("run", "hello", "--model", place.script([[{ text: "Here." }]], {}, "after.json"))
  expect(after).toMatchObject({ code: 0, stdout: "Here.\n" })
}

describe.concurrent("without room for the log itself", () => {
  it.for([0, 1, 8, 40, 64])("(%i blocks) nothing is accepted, and a sentence says why", async (blocks, test) => {
    const place = newPlace(test)
    expect(complaintOf(await limited(place, blocks).ended, /cannot be (written|read or made)/)).toEqual(wellSaid(1))
    await expectGoodHome(place)
  })
})

describe.concurrent("without room for a result", () => {
  it.for([90, 110])("(%i blocks) it waits and says so; after a kill nothing is done twice", async (blocks, test) => {
    const place = newPlace(test)
    const running = limited(place, blocks)
    await running.says(waits)
    running.signal("SIGKILL")
    expectNoStack(await running.ended)
    expect((await place.run("run", "--continue", "--yes")).code).toBe(0)
    const log = await place.log(await place.newest())
    expectValid(log)
    expectIdle(log)
    expect(place.read("f")).toBe("x\n")
    await expectGoodHome(place)
  })

  it(
    "one SIGINT ends the program, also while a result cannot be stored",
    { timeout: 15_000 },
    async (test) => {
      const place = newPlace(test)
      const running = limited(place, 150)
      await running.says("waits to be stored")
      running.signal("SIGINT")
      expect((await running.ended).code).toBe(130)
      await expectGoodHome(place)
    },
  )
})
