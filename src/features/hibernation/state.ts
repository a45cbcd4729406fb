export interface HibernationState {
  /** Hibernated: nothing is done, whatever is open, until the session is woken. */
  readonly asleep: boolean
}
