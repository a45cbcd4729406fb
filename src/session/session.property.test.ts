// Random clients, a random runner and random crashes against the pure core. After every single append the promises
// are checked on the whole history.
import fc from "fast-check"
import { expect, it } from "vitest"
import { checkPromises } from "./fixtures/promises.ts"
import { moves } from "./fixtures/random-moves.ts"
import { World } from "./fixtures/random-world.ts"
import { openApprovals } from "../features/approvals/state.ts"
import { requiredEffects } from "./required-effects.ts"

/** Work and prompts are likelier than the rest, so that turns get somewhere. */
const move = fc.tuple(
  fc.oneof(
    { weight: 12, arbitrary: fc.constant("work") },
    { weight: 3, arbitrary: fc.constant("prompt") },
    { weight: 2, arbitrary: fc.constantFrom("approve", "reply", "verify", "stream", "crash", "wake") },
    { weight: 1, arbitrary: fc.constantFrom(...Object.keys(moves)) },
  ),
  fc.nat(1000),
)

it("keeps its invariants under random commands, results and crashes", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("careful", "service"),
      fc.array(move, { maxLength: 120, size: "max" }),
      (preset, script) => {
        const world = new World(preset)
        for (const [name, pick] of script) {
          const before = world.log.length
          moves[name]?.(world, pick)
          if (world.log.length > before) checkPromises(world)
        }
      },
    ),
    { numRuns: 200 },
  )
})

it("becomes idle when all required effects are done", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1000), { minLength: 50, maxLength: 50 }), (picks) => {
      const world = new World("careful")
      for (const n of [1, 2, 3]) world.send({ type: "prompt", promptId: `prm_${n}`, text: "t", ifBusy: "wait" })
      for (let round = 0; round < 400 && world.state.turn !== undefined; round++) {
        moves["work"]?.(world, picks[round % picks.length] ?? 0)
        for (const { id } of openApprovals(world.state)) world.send({ type: "approve", approvalId: id, approved: true })
        for (const { id } of world.state.interactions)
          world.send({ type: "answer", interactionId: id, values: { email: "a@b.example" } })
        moves["raise"]?.(world, 0)
      }
      expect(requiredEffects(world.state)).toEqual([])
      expect(world.all("turn.ended")).toHaveLength(3)
    }),
    { numRuns: 50 },
  )
})
