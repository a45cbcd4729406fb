// The escalation in the state of a session.

/** The tool with which an agent asks for a person. */
export const ESCALATION_TOOL = "escalate"

export interface EscalationState {
  /** Why the agent asks for a person, while the escalation is open. */
  readonly escalation: { readonly reason: string } | undefined
}
