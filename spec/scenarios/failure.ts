// Why a scenario failed: the step, what was expected and received, and the last frames.

/** An expectation that was not met; the player adds the step. */
export class Unexpected extends Error {
  readonly expected: string
  readonly received: string

  constructor(expected: string, received: string) {
    super(`expected ${expected}; received ${received}`)
    this.expected = expected
    this.received = received
  }
}

export interface Failed {
  /** From 1; 0 before the first. */
  readonly step: number
  readonly of: number
  /** The step as the file has it. */
  readonly text: string
  readonly expected: string
  readonly received: string
  readonly journal: readonly string[]
}

const shownFrames = 12
const shownText = 400

export function failedAt(error: unknown, step: number, steps: readonly unknown[], journal: readonly string[]): Failed {
  const about = { step, of: steps.length, text: shown(steps[step - 1] ?? null), journal: journal.slice(-shownFrames) }
  if (error instanceof Unexpected) return { ...about, expected: error.expected, received: error.received }
  return { ...about, expected: "the step to run", received: String(error) }
}

export function failureText({ step, of, text, expected, received, journal }: Failed): string {
  const where = step === 0 ? "before the first step" : `at step ${step} of ${of}: ${text}`
  const frames = journal.length === 0 ? "    (none)" : journal.map((line) => `    ${line}`).join("\n")
  return [
    `failed ${where}`,
    `  expected  ${expected}`,
    `  received  ${received}`,
    `  the last frames (-> sent, <- received):`,
    frames,
  ].join("\n")
}

export function shown(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > shownText ? `${text.slice(0, shownText)}…` : text
}
