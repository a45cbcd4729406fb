// One value that must not be stored, with the name under which people know it.

export interface Secret {
  /** The variable, or the place in the configuration, that holds it. Shown in the placeholder. */
  readonly name: string
  readonly value: string
}

/** Below this nothing counts as a secret: a short value would be found everywhere and scrubbing it would wreck text. */
export const shortestSecret = 8
