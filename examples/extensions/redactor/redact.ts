// Removes what looks like a key or an e-mail address. The kind of what was removed stays in the text for the model.
const kinds: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["private key", /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g],
  ["key", /\b(sk-|sk_live_|rk_live_|gh[opsu]_|github_pat_|glpat-|xox[abprs]-)[\w-]{16,}/g],
  ["key", /\b(AKIA|ASIA)[0-9A-Z]{16}\b/g],
  ["token", /\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]+/g],
  ["e-mail address", /\b[\w.%+-]+@[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,}\b/gi],
]

/** The host appends this to the visible part of a long output. */
const cutMark = /…\[truncated, \d+ total bytes\]$/

/** Undefined if there is nothing to remove. */
export function redact(output: string): string | undefined {
  const isCut = cutMark.test(output)
  const redacted = redactAll(isCut ? withoutLastWord(output) : output)
  return isCut || redacted !== output ? redacted : undefined
}

function redactAll(text: string): string {
  return kinds.reduce((rest, [name, pattern]) => rest.replace(pattern, `[${name} removed]`), text)
}

/** The cut may have split a key, and half of a key matches no pattern. */
function withoutLastWord(output: string): string {
  return output.replace(/\S*(…\[truncated, \d+ total bytes\])$/, "$1")
}
