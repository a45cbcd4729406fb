// What stands in stored text where a secret stood: `‹redacted:NAME:4 hex›`. The four digits tell two values of one
// name apart without saying anything about either. A model that copies a placeholder into a file would destroy the
// real value there, so a call that holds one is refused.

const pattern = /‹redacted:[^‹›\s]{1,64}:[0-9a-f]{4}›/

/** The fixed words of a placeholder, with the name that is used when the real one would give a secret away. */
export const namelessSecret = "secret"
export const placeholderWords = `‹redacted:${namelessSecret}:`

export function holdsPlaceholder(text: string): boolean {
  return pattern.test(text)
}

/** A sentence when a call's arguments hold a placeholder: neither a model nor a restart knows what stood there. */
export function placeholderProblem(text: string): string | undefined {
  const found = pattern.exec(text)?.[0]
  if (found === undefined) return undefined
  return `The arguments hold ${found}, which stands for a secret that is not stored. Nothing was done. Leave that text untouched, or have the secret read from where it is kept.`
}

export function placeholderOf(name: string, tag: string): string {
  const plain = name.replaceAll(/[^\w.:/-]/g, "_").slice(0, 64)
  return `‹redacted:${plain || namelessSecret}:${tag}›`
}
