// The proofs must be able to fail: each finds the bug that is planted in a copy of the sources, and names the event.
import { expect, it } from "vitest"
import { newPlace } from "../e2e/turnhouse.ts"
import { countsIn, homesIn, plantBug, startProof } from "./place.ts"

it.for([
  { patch: "show-before-commit.patch", proof: ["crash", "--kills", "2000"], kind: "lost", event: /^[a-z]+\.[a-z]+$/ },
  { patch: "repeat-unsafe-call.patch", proof: ["crash", "--kills", "2000"], kind: "doubled", event: /^tool\.started$/ },
  {
    patch: "ignore-organisation.patch",
    proof: ["tenants", "--requests", "20000"],
    kind: "leaked",
    event: /^[a-z][a-z._-]+$/,
  },
  {
    patch: "visitor-chooses-offline-model.patch",
    proof: ["visitor", "--hostile-frames", "20000"],
    kind: "broken",
    event: /^[a-z_]+\.\w*$/,
  },
  {
    patch: "resume-after-next-event.patch",
    proof: ["cuts", "--cuts", "5000"],
    kind: "lost",
    event: /^[a-z]+\.[a-z]+$/,
  },
  {
    patch: "answer-twice.patch",
    proof: ["approvals", "--answers", "5000"],
    kind: "doubled",
    event: /^approval\.decided$/,
  },
  {
    patch: "admit-tool-processes.patch",
    proof: ["approvals", "--answers", "5000"],
    kind: "broken",
    event: /^approval\.decided$/,
  },
  {
    patch: "drop-message-before-cut.patch",
    proof: ["long", "--tokens", "400000"],
    kind: "lost",
    event: /^(?:prompt\.promoted|text\.ended|reasoning\.ended|tool\.called|tool\.ended|context\.compacted)$/,
  },
  { patch: "kill-groups-only.patch", proof: ["orphans", "--runs", "200"], kind: "broken", event: /^tool\.started$/ },
])("finds $patch as $kind", async ({ patch, proof, kind, event }, test) => {
  const place = newPlace(test)
  const [name, option, count] = proof
  const ended = await startProof(place, plantBug(place, patch), ...proof, "--seed", "1", "--json").ended
  const homes = homesIn(place)
  expect(ended.code).toBe(1)
  expect(homes).toHaveLength(1)
  const command = `turnhouse prove ${name} --seed 1 ${option} ${count}`
  expect(ended.stderr).toContain(`a promise does not hold. '${command}' repeats it; the homes are in `)
  expect(ended.stderr).toContain(homes[0])
  expect(countsIn(ended)[kind]).toBeGreaterThan(0)
  const violation = ended.stdout.split("\n").find((line) => line.startsWith(`{"kind":"${kind}"`))
  expect(JSON.parse(violation ?? "{}")).toMatchObject({ kind, event: expect.stringMatching(event) })
})
