// Frames about resolved references: how many entities were named, what was resolved last, and how often that works. The
// first resolution of a turn is shown as a toast, so that the user sees how their words were understood.
import type { Recorded } from "../../../contract/events.ts"
import { foldReferences, qualityOf, type References } from "../../../features/references/references.ts"
import { toast } from "./agent-frames.ts"
import type { AgentMessage } from "../frames.ts"
import type { Resolution, SessionSnapshot } from "../../../contract/views/session-snapshot.ts"

const TOAST_MS = 1500
const nothing: readonly AgentMessage[] = []

export class ReferenceFrames {
  readonly #isEnabled: boolean
  #references: References
  #hasToast = false

  constructor({ references, hintsReferences }: Pick<SessionSnapshot, "references" | "hintsReferences">) {
    this.#references = references
    this.#isEnabled = hintsReferences
  }

  get status(): AgentMessage {
    const { seen, last } = this.#references
    return {
      type: "seal_status",
      enabled: this.#isEnabled,
      entity_count: this.#isEnabled ? seen.length : 0,
      last_resolution: last === undefined || !this.#isEnabled ? null : resolutionText(last),
      quality_score: this.#isEnabled ? inHundredths(qualityOf(this.#references)) : 1,
    }
  }

  encode(recorded: Recorded): readonly AgentMessage[] {
    const before = this.#references
    const after = (this.#references = foldReferences(before, recorded))
    if (recorded.event.type === "turn.started") this.#hasToast = false
    if (after === before || !this.#isEnabled) return nothing
    const isChanged = after.seen !== before.seen || after.found !== before.found
    const first = after.newest === before.newest ? undefined : after.newest[0]
    return [...this.#toast(first), ...(isChanged ? [this.status] : nothing)]
  }

  #toast(resolution: Resolution | undefined): readonly AgentMessage[] {
    if (resolution === undefined || this.#hasToast) return nothing
    this.#hasToast = true
    return [toast(resolutionText(resolution), TOAST_MS)]
  }
}

/** Peers keep it as a 32-bit float, which does not hold more digits exactly. */
function inHundredths(share: number): number {
  return Math.round(share * 100) / 100
}

function resolutionText({ words, entity }: Resolution): string {
  return `"${words}" → ${entity}`
}
