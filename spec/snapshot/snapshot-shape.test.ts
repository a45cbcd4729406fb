// A stored snapshot is read by later releases. Its shape is recorded beside this test under its version, so that a
// changed shape fails here until `snapshotVersion` is raised and the new shape is recorded (`vitest run -u` on this file).
import { expect, it } from "vitest"
import { sessionEvents, type SessionEvent } from "../../src/contract/events.ts"
import { foldAll, noFolds, snapshotVersion, type SessionFolds } from "../../src/runner/snapshot.ts"
import { sampleOf } from "./sample.ts"
import { addShape } from "./shape.ts"

const samples = sessionEvents.map((schema) => schema.parse(sampleOf(schema)))
/** A session in the middle of a tool call: from here on almost every event changes something. */
const midTurn = ["session.created", "prompt.admitted", "turn.started", "prompt.promoted", "step.started", "tool.called"]
const opening = midTurn.flatMap((type) => samples.find((event) => event.type === type) ?? [])

it(`keeps the shape of snapshots of version ${snapshotVersion}`, async () => {
  const lines = new Set<string>()
  for (const first of samples) {
    for (const second of samples) addShape(lines, foldsAfter([...opening, first, second]))
  }
  await expect(`${[...lines].toSorted().join("\n")}\n`).toMatchFileSnapshot(`shape-${snapshotVersion}.txt`)
})

function foldsAfter(events: readonly SessionEvent[]): SessionFolds {
  return foldAll(
    noFolds(),
    events.map((event, index) => ({ seq: index + 1, at: index, event })),
  )
}
