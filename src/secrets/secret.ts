// A value that must not be stored, with a name for its placeholder.

export interface Secret {
  /** The variable, or the place in the configuration, that holds it. Shown in the placeholder. */
  readonly name: string
  readonly value: string
}

/** Shorter values are not secrets: they would occur everywhere in ordinary text. */
export const shortestSecret = 8
