// Steps outside the doors: files in the session's folder, and stored events.
import type { JsonObject } from "../../src/contract/json-object.ts"
import type { Place } from "../e2e/place.ts"
import { eventLines, object } from "../e2e/printed.ts"
import { Unexpected } from "./failure.ts"
import type { WorkspaceStep } from "./scenario.ts"
import { asJson } from "./worlds/world.ts"

export async function playWorkspaceStep(step: WorkspaceStep, place: Place): Promise<void> {
  if ("write" in step) return void place.write(step.write, step.text ?? "")
  const holds = place.has(step.file) ? place.read(step.file) : null
  if (holds === step.holds) return
  throw new Unexpected(`that ${step.file} ${holding(step.holds)}`, `it ${holding(holds)}`)
}

/** Without fields that differ in each run. */
export async function storedEvents(place: Place, sessionId: string): Promise<readonly JsonObject[]> {
  return eventLines(await place.log(sessionId)).map((line) => {
    const { seq: _seq, at: _at, v: _v, ...event } = object(line)
    return asJson(event)
  })
}

function holding(text: string | null): string {
  return text === null ? "does not exist" : `holds ${JSON.stringify(text)}`
}
