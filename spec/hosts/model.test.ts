// Several real host processes in one home, and a random walk that prompts, watches, interrupts and comes and goes while
// hosts are killed, frozen past their lease, told to leave and replaced. At the end everything must be accounted for.
//
// TURNHOUSE_RUNS=50 makes 50 walks instead of a few, with seeds that follow one another; TURNHOUSE_SEED=N begins with
// seed N. A walk that fails names its seed:
//
//   TURNHOUSE_SEED=17 TURNHOUSE_RUNS=1 npx vitest run spec/hosts/model.test.ts
import { describe, expect, it } from "vitest"
import { newHostedPlace } from "./hosted-place.ts"
import { expectIntact, expectPromisesKept } from "./invariants.ts"
import { perform, actionsOf } from "./walk.ts"
import { World } from "./world.ts"

const runs = Number(process.env["TURNHOUSE_RUNS"] ?? 3)
/** The three from here on have every kind of trouble. */
const firstSeed = Number(process.env["TURNHOUSE_SEED"] ?? 9)
const timeout = 180_000

describe.concurrent("when hosts fail at random, nothing is lost, repeated or run by two hosts", () => {
  const seeds = Array.from({ length: runs }, (_, index) => firstSeed + index)

  it.for(seeds)("on a random walk with seed %i", { timeout }, async (seed, test) => {
    const place = newHostedPlace(test)
    const world = new World(place)
    test.onTestFinished(() => world.close())
    const walk = actionsOf(seed)
    try {
      for (const deed of walk) {
        await perform(world, deed)
        await expectIntact(place)
      }
      await world.settle()
      await expectPromisesKept(world)
    } catch (fault) {
      console.error(`seed ${seed}: ${walk.map((deed) => JSON.stringify(deed)).join(" ")}\n${place.said()}`)
      throw fault
    }
    expect(world.sent.length).toBeGreaterThan(0)
  })
})
