// Words that messages of the program must not use, each with advice. Strings without a space are names of events, fields
// or settings and are not checked.
const words: readonly (readonly [RegExp, string])[] = [
  [/\bwhoever\b/i, "name the actor: the client, the user, the operator."],
  [/\b(somebody|someone|nobody|anybody|anyone)\b/i, "name the actor: the client, the user, the operator."],
  [/\b(gone|goes|go|went) on with\b/i, "say continue or resume."],
  [/\bis (waited|asked) for\b/i, "say who waits, in the active voice: waiting for approval."],
  [/\bto be mended\b|\bmend(ed|s)? the\b/i, "say fix."],
  [/\b(desk|doorkeeper|custodian|lock book|furnish\w*)\b/i, "use the field's word."],
  [/\bthere are not as many\b/i, "say fewer than."],
  [/\bthe house\b(?! wire)/i, "say Turnhouse or the host."],
]

export interface ForbiddenWord {
  readonly found: string
  readonly advice: string
}

export function forbiddenWord(text: string): ForbiddenWord | undefined {
  if (!text.includes(" ")) return undefined
  for (const [pattern, advice] of words) {
    const found = pattern.exec(text)?.[0]
    if (found !== undefined) return { found, advice }
  }
  return undefined
}
