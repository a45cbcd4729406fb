// A finding of a check: one line, with advice if something is wrong.
export interface Finding {
  readonly subject: string
  /** `problem`: Turnhouse does not work as it should. */
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
