// Cuts and flips at random places of the write-ahead log: no loss of an acknowledged event passes unreported.
import { beforeAll, describe, expect, it } from "vitest"
import { seeded } from "../../src/app/prove/seeded.ts"
import { crashedHome, cut, flip, lossesOf, restore, type CrashedHome } from "./damaged-wal.ts"
import { newPlace, sharedPlace } from "./turnhouse.ts"

const made = sharedPlace()
let crashed: CrashedHome
beforeAll(async () => {
  crashed = await crashedHome(made)
})

describe("a write-ahead log", () => {
  it.for(Array.from({ length: 90 }, (_, index) => index))(
    "damaged at random (seed %i) is reported",
    async (seed, test) => {
      const random = seeded(seed + 1)
      const at = random(crashed.wal.length)
      const wal = seed % 3 === 0 ? cut(crashed.wal, at) : flip(crashed.wal, at)
      const place = newPlace(test)
      restore(crashed, place, wal)
      const losses = lossesOf(crashed, place, wal)
      const [verified, examined] = [await place.run("verify"), await place.run("doctor")]
      for (const id of losses.keys()) {
        expect(verified.stdout).toContain(id)
        expect(examined.stdout).toContain(id)
        const refused = await place.run("run", "go on", "--session", id)
        expect(refused).toMatchObject({ code: 1 })
        expect(refused.stderr).toContain(`Session ${id} is damaged`)
      }
      const reported = verified.code === 1 && examined.code === 1
      expect(reported || losses.size === 0).toBe(true)
    },
  )
})
