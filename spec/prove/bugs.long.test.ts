// The proofs must be able to fail: each finds the bug that is planted in a copy of the sources, and names the event.
import { expect, it } from "vitest"
import { object } from "../e2e/printed.ts"
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
  {
    patch: "acknowledge-failed-commit.patch",
    proof: ["disk", "--trials", "4000"],
    kind: "lost",
    event: /^[a-z]+\.[a-z]+$/,
  },
  { patch: "commit-without-sync.patch", proof: ["disk", "--trials", "4000"], kind: "lost", event: /^[a-z]+\.[a-z]+$/ },
  { patch: "read-altered-event.patch", proof: ["disk", "--trials", "4000"], kind: "broken", event: /^[a-z]+\.[a-z]+$/ },
  { patch: "kill-groups-only.patch", proof: ["orphans", "--runs", "200"], kind: "broken", event: /^tool\.started$/ },
  {
    patch: "expire-locks-by-wall-clock.patch",
    proof: ["locks", "--histories", "500"],
    kind: "doubled",
    event: /^lock\.granted$/,
  },
  {
    patch: "move-refs-without-lock.patch",
    proof: ["locks", "--histories", "20000"],
    kind: "doubled",
    event: /^lock\.acted$/,
  },
  {
    patch: "write-after-lost-lease.patch",
    proof: ["locks", "--histories", "500"],
    kind: "doubled",
    event: /^lease\.appended$/,
  },
  {
    patch: "store-arguments-unredacted.patch",
    proof: ["secrets", "--planted", "2000"],
    kind: "leaked",
    event: /^(tool\.called|[a-z_]+)$/,
  },
  {
    patch: "throw-at-malformed-frame.patch",
    proof: ["fuzz", "--frames", "4000"],
    kind: "broken",
    event: /^ws uncaught$/,
  },
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

// In simulated time the same session fails in the same way, whatever the machine does.
it.for([
  { patch: "show-before-commit.patch", kind: "lost", event: /^[a-z]+\.[a-z]+$/ },
  { patch: "repeat-unsafe-call.patch", kind: "doubled", event: /^tool\.started$/ },
  { patch: "answer-twice.patch", kind: "lost", event: /^approval\.decided$/ },
  { patch: "resume-after-next-event.patch", kind: "lost", event: /^[a-z]+\.[a-z]+$/ },
])("finds $patch in a simulation as $kind, and again with the command that it prints", async (bug, test) => {
  const place = newPlace(test)
  const program = plantBug(place, bug.patch)
  const first = await startProof(place, program, "simulation", "--sessions", "2000", "--seed", "1", "--json").ended
  const [command, seed = ""] = /turnhouse prove simulation --seed (\d+) --sessions 1/.exec(first.stderr) ?? []
  expect({ code: first.code, stderr: first.stderr }).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`'${command}' repeats it; the traces are in `),
  })
  const again = await startProof(place, program, "simulation", "--sessions", "1", "--seed", seed, "--json").ended
  const violations = [first, again].map(({ stdout }) => violationIn(stdout))
  expect(violations[0]).toMatchObject({ kind: bug.kind, event: expect.stringMatching(bug.event) })
  expect(violations[1]).toEqual(violations[0])
})

/** Without the file of its trace, whose folder has a random name. */
function violationIn(stdout: string): object {
  const line = stdout.split("\n").find((one) => one.startsWith(`{"kind":`))
  const { home: _, ...violation } = object(line ?? "{}")
  return violation
}
