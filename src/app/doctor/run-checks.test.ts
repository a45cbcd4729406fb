import { expect, it } from "vitest"
import { ok, type Check } from "./finding.ts"
import { runChecks } from "./run-checks.ts"

const fine: Check = { subject: "fine", look: async () => [ok("fine", "it is")] }

it("returns the findings of all checks in order", async () => {
  const late = Promise.withResolvers<void>()
  const slow: Check = { subject: "slow", look: () => late.promise.then(() => [ok("slow", "at last")]) }
  const quick: Check = {
    subject: "quick",
    look: async () => {
      late.resolve()
      return [ok("quick", "at once")]
    },
  }
  expect((await runChecks([slow, quick], 10_000)).map(({ subject }) => subject)).toEqual(["slow", "quick"])
})

it("reports a check that hangs as a warning, and the other findings", async () => {
  const hanging: Check = { subject: "hanging", look: () => new Promise(() => {}) }
  expect(await runChecks([hanging, fine], 20)).toMatchObject([
    { subject: "hanging", level: "warning", what: "no answer within 0.02 s" },
    { subject: "fine", level: "ok" },
  ])
})

it("reports a check that fails as a problem, and the other findings", async () => {
  const broken: Check = { subject: "broken", look: () => Promise.reject(new Error("no permission")) }
  expect(await runChecks([broken, fine], 10_000)).toMatchObject([
    { subject: "broken", level: "problem", what: "the check failed: no permission" },
    { subject: "fine", level: "ok" },
  ])
})
