// Why a scenario failed, for somebody who has never seen it: the step, what was expected, what came instead, and the
// frames that led there.

/** What is not as expected; the player adds where it happened. */
export class Unexpected extends Error {
  readonly expected: string
  readonly came: string

  constructor(expected: string, came: string) {
    super(`expected ${expected}; came ${came}`)
    this.expected = expected
    this.came = came
  }
}

export interface Failed {
  /** From 1; 0 before the first. */
  readonly step: number
  readonly of: number
  /** The step as the file has it. */
  readonly text: string
  readonly expected: string
  readonly came: string
  readonly journal: readonly string[]
}

const shownFrames = 12
const shownText = 400

export function failedAt(error: unknown, step: number, steps: readonly unknown[], journal: readonly string[]): Failed {
  const about = { step, of: steps.length, text: shown(steps[step - 1] ?? null), journal: journal.slice(-shownFrames) }
  if (error instanceof Unexpected) return { ...about, expected: error.expected, came: error.came }
  return { ...about, expected: "that the step can be carried out", came: String(error) }
}

export function failureText({ step, of, text, expected, came, journal }: Failed): string {
  const where = step === 0 ? "before its first step" : `at step ${step} of ${of}: ${text}`
  const frames = journal.length === 0 ? "    (none)" : journal.map((line) => `    ${line}`).join("\n")
  return [
    `failed ${where}`,
    `  expected  ${expected}`,
    `  came      ${came}`,
    `  the last frames (-> sent, <- came):`,
    frames,
  ].join("\n")
}

export function shown(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > shownText ? `${text.slice(0, shownText)}…` : text
}
