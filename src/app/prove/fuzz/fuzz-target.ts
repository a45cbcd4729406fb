// What `turnhouse prove fuzz` can feed: a door, or a decoder of bytes that come from outside.

/** A folder of the proof. A target may write there; it is removed afterwards, and kept after a finding. */
export interface TargetPlace {
  readonly folder: string
}

export interface FuzzTarget {
  readonly name: string
  /** Valid inputs to begin with. */
  readonly seeds: readonly Uint8Array[]
  /** Words that inputs of this kind consist of (keys, kinds, tags), for the structure-aware mutator. */
  readonly words: readonly string[]
  /** Modules (parts of paths below `src/`, such as "models/readers/") whose coverage guides it. */
  readonly modules: readonly string[]
  /**
   * Handles one input. True: it was well-formed, whether it was then refused or not. Throws a `Finding`, or any other error:
   * each is a violation, so a target catches what its program catches. Called again only when the promise has resolved.
   */
  run(input: Uint8Array): Promise<boolean> | boolean
  /** After a batch, and at the end. Throws if what the inputs have left behind is wrong, e.g. if a door no longer answers. */
  check?(): Promise<void>
  close?(): Promise<void>
}

export type OpenTarget = (place: TargetPlace) => Promise<FuzzTarget>

/** A broken promise that a target found. */
export class Finding extends Error {
  override readonly name = "Finding"
  /** Type of the event, action or field at which it was found. */
  readonly event: string

  constructor(event: string, what: string) {
    super(what)
    this.event = event
  }
}
