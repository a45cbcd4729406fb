// What a proof counts, and the promises that it found broken.

/**
 * `lost`: acknowledged or shown, and then missing. `doubled`: stored, shown or done twice. `leaked`: shown or stored where it
 * must not be. `broken`: any other broken promise.
 */
export type ViolationKind = "lost" | "doubled" | "broken" | "leaked"

export interface Violation {
  readonly kind: ViolationKind
  /** Type of the event at which it was found. */
  readonly event: string
  readonly what: string
  /** The home in which it happened. */
  readonly home: string
}

/** Throws nothing: a proof collects violations and stops at the next opportunity. */
export type Report = (kind: ViolationKind, event: string, what: string) => void
