export interface RewindingState {
  /** Events to which the context can be rewound: ends of turns since it last changed otherwise. */
  readonly restingPlaces: readonly number[]
  /** Where the newest turns ended that people can see. */
  readonly turnEnds: readonly number[]
  /** Resting places that were given a name. */
  readonly marks: readonly Mark[]
}

export interface Mark {
  readonly name: string
  readonly toSeq: number
}
