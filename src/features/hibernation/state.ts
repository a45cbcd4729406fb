export interface HibernationState {
  /** Hibernated: no effects run until the session is woken. */
  readonly asleep: boolean
}
