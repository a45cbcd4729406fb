// A short run of all proofs, one after another.
import { expect, it } from "vitest"
import { proofs } from "../../src/cli/prove/proofs.ts"
import { newPlace, program } from "../e2e/turnhouse.ts"
import { object } from "../e2e/printed.ts"
import { countsIn, leftBehind, startProof } from "./place.ts"

it("runs every proof, and prints a line for each run, each proof and the totals", async (test) => {
  const place = newPlace(test)
  const ended = await startProof(place, program, "all", "--minutes", "1", "--seed", "3", "--json").ended
  expect({ code: ended.code, stderr: ended.stderr, stdout: ended.stdout }).toMatchObject({ code: 0, stderr: "" })
  const lines = ended.stdout.trimEnd().split("\n").map(object)
  expect(lines.flatMap(({ proof }) => (proof === undefined ? [] : [proof]))).toEqual(proofs.map(({ name }) => name))
  expect(lines[0]).toMatchObject({ command: expect.stringMatching(/^turnhouse prove crash --seed 3 --kills \d+$/) })
  expect(countsIn(ended)).toMatchObject({ proofs: proofs.length, seed: 3, lost: 0, doubled: 0, broken: 0, leaked: 0 })
  expect(await leftBehind(place)).toEqual([])
})
