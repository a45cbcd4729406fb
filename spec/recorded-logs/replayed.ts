// Puts an exported session through every fold. Later releases must give the same result.
import type { Recorded } from "../../src/contract/events.ts"
import { decodeEvent } from "../../src/contract/stored-event.ts"
import { emptyContext, foldContext } from "../../src/projection/context.ts"
import { foldStatus, noStatus } from "../../src/projection/status.ts"
import { emptyTranscript, foldTranscript } from "../../src/projection/transcript.ts"
import { foldTasks, noTasks } from "../../src/features/tasks/task-list.ts"
import { foldUsage, noUsage } from "../../src/projection/usage.ts"
import { evolve, initialState } from "../../src/session/evolve.ts"

/** The events between the header and the seal. */
export function eventsOfExport(text: string): readonly Recorded[] {
  const lines = text.trimEnd().split("\n").slice(1, -1)
  return lines.map((line) => {
    const decoded = decodeEvent(line)
    if (decoded.kind !== "event") throw new Error(`this version cannot read: ${line}`)
    return decoded.recorded
  })
}

/** As JSON text, one form for both sides of a comparison. */
export function replayed(events: readonly Recorded[]): string {
  const folds = {
    state: events.reduce(evolve, initialState),
    status: events.reduce(foldStatus, noStatus),
    usage: events.reduce(foldUsage, noUsage),
    transcript: events.reduce(foldTranscript, emptyTranscript()),
    context: events.reduce(foldContext, emptyContext()),
    tasks: events.reduce(foldTasks, noTasks),
  }
  return `${JSON.stringify(folds, null, 2)}\n`
}
