// Where a checked value goes wrong, in a few words.
import type { Fault } from "./generated/frames.js"

export function firstFault(faults: readonly Fault[] | null | undefined): string {
  const [first] = faults ?? []
  return first === undefined ? "unreadable" : `${first.instancePath.slice(1)} ${first.message}`.trim()
}
