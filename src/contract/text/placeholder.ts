// The replacement of a secret in stored text: `‹redacted:NAME:4 hex›`. The four digits distinguish two values of one
// name without revealing either. A model that writes a placeholder into a file would destroy the real value there, so a
// call that contains one is refused.

const pattern = /‹redacted:[^‹›\s]{1,64}:[0-9a-f]{4}›/

/** The fixed part of a placeholder, with the name used when the real one would reveal a secret. */
export const namelessSecret = "secret"
export const PLACEHOLDER_START = `‹redacted:${namelessSecret}:`

export function holdsPlaceholder(text: string): boolean {
  return pattern.test(text)
}

/** A sentence if a call's arguments contain a placeholder: neither a model nor a restarted host knows the secret. */
export function placeholderProblem(text: string): string | undefined {
  const found = pattern.exec(text)?.[0]
  if (found === undefined) return undefined
  return `The arguments hold ${found}, which stands for a secret that is not stored. Nothing was done. Leave that text untouched, or have the secret read from where it is kept.`
}

export function placeholderOf(name: string, tag: string): string {
  const plain = name.replaceAll(/[^\w.:/-]/g, "_").slice(0, 64)
  return `‹redacted:${plain || namelessSecret}:${tag}›`
}
