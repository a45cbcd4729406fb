// `run -c` after a turn that did not come to its end.
import { expect, it } from "vitest"
import { eventsOf } from "../e2e/printed.ts"
import { newPlace } from "../e2e/turnhouse.ts"

const pricePerMillion = { input: 1000, output: 1000 }

it("run -c resumes a turn that is parked on its budget, and does not queue prompts behind it", async (test) => {
  const place = newPlace(test)
  place.config({ budget: { usdPerTree: 0.01 } })
  const model = place.script([[{ text: "First." }], [{ text: "Second." }]], { pricePerMillion })
  const parked = await place.run("run", "begin", "--model", model)
  expect(parked).toMatchObject({ code: 3, stdout: "" })
  expect(parked.stderr).toContain("To continue it: turnhouse run -c --budget USD")
  const still = await place.run("run", "-c", "go on")
  expect(still).toMatchObject({ code: 3, stdout: "" })
  expect(still.stderr).toContain("the prompt was not sent: the turn before it is parked")
  expect(await place.run("run", "-c", "--budget", "lots")).toMatchObject({ code: 2, stdout: "" })
  expect(await place.run("run", "-c", "--budget", "1000")).toMatchObject({ code: 0, stdout: "First.\n" })
  expect(await place.run("run", "-c", "go on")).toMatchObject({ code: 0, stdout: "Second.\n" })
  const { stdout } = await place.run("log", await place.newest(), "--json")
  expect(eventsOf(stdout, "turn.ended").map(({ reason }) => reason)).toEqual(["done", "done"])
})

it("run -c applies a budget that was raised in the configuration", async (test) => {
  const place = newPlace(test)
  place.config({ budget: { usdPerTree: 0.01 } })
  const model = place.script([[{ text: "First." }]], { pricePerMillion })
  expect((await place.run("run", "begin", "--model", model)).code).toBe(3)
  place.config({ budget: { usdPerTree: 1000 } })
  expect(await place.run("run", "-c")).toMatchObject({ code: 0, stdout: "First.\n" })
})

it("run -c goes on after an error of the provider, with the conversation so far", async (test) => {
  const place = newPlace(test)
  const model = place.script([[{ text: "Half" }, { error: { status: 400, message: "no" } }], [{ text: "Better." }]])
  const failed = await place.run("run", "begin", "--model", model)
  expect(failed.code).toBe(1)
  expect(failed.stderr).toContain('To continue: turnhouse run -c "go on"')
  const shown = await place.run("run", "-c")
  expect(shown.code).toBe(1)
  expect(shown.stderr).toContain('To continue: turnhouse run -c "go on"')
  expect(await place.run("run", "-c", "go on")).toMatchObject({ code: 0, stdout: "Better.\n" })
})
