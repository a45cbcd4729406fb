// What a check found out: one line for a person, with what to do about it when it is not in order.
export interface Finding {
  readonly subject: string
  /** A warning is something to know; a problem keeps Turnhouse from working as it should. */
  readonly level: "ok" | "warning" | "problem"
  readonly what: string
  readonly todo?: string
}

export interface Check {
  readonly subject: string
  readonly look: () => Promise<readonly Finding[]>
}

export function ok(subject: string, what: string): Finding {
  return { subject, level: "ok", what }
}

export function warning(subject: string, what: string, todo: string): Finding {
  return { subject, level: "warning", what, todo }
}

export function problem(subject: string, what: string, todo: string): Finding {
  return { subject, level: "problem", what, todo }
}
