// Settings that are reserved for features which do not exist yet. They are refused, because a setting that is accepted and
// ignored would promise something.
import type { Problem } from "./explain.ts"
import { type Path, valueAt } from "./plain.ts"

interface Unavailable {
  readonly path: Path
  readonly what: string
}

const settings: readonly Unavailable[] = [
  { path: ["events", "wake"], what: 'events cannot start turns yet. Remove "events"' },
]

export function unavailableSettings(value: unknown): readonly Problem[] {
  return settings
    .filter(({ path }) => valueAt(value, path) !== undefined)
    .map(({ path, what }) => ({ path, at: "key", what: `${path.join(".")}: ${what}`, missing: false }))
}
