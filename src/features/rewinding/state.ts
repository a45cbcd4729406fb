export interface RewindingState {
  /** Events to which the context can be rewound: ends of turns since the context last changed in another way. */
  readonly restingPlaces: readonly number[]
  /** Ends of the newest visible turns. */
  readonly turnEnds: readonly number[]
  /** Named resting places. */
  readonly marks: readonly Mark[]
}

export interface Mark {
  readonly name: string
  readonly toSeq: number
}
