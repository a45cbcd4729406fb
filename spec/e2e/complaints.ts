// How the program must complain: one line that a person can read, never a stack.
import { expect } from "vitest"
import { eventLines } from "./printed.ts"
import type { Ended } from "./running.ts"

export interface Complaint {
  readonly code: number
  /** What is wrong with the way in which it was said; nothing when all is well. */
  readonly problems: readonly string[]
}

/** `words` must all stand in it. */
export function complaintOf(ended: Ended, ...words: readonly (string | RegExp)[]): Complaint {
  const { code, stdout, stderr } = ended
  const missing = words.filter((word) => (typeof word === "string" ? !stderr.includes(word) : !word.test(stderr)))
  const problems = [
    ...(/^turnhouse: [^\n]+\n$/.test(stderr) ? [] : [`it is not one line: ${stderr}`]),
    ...(eventLines(stdout).join("\n") === stdout.trimEnd() ? [] : [`there is more than events on stdout: ${stdout}`]),
    ...missing.map((word) => `it does not say ${String(word)}: ${stderr}`),
  ]
  return { code, problems }
}

export function wellSaid(code: number): Complaint {
  return { code, problems: [] }
}

export function expectNoStack(ended: Ended): void {
  expect(hasStack(ended) ? ended.stderr : "").toBe("")
}

/** Words that only a program with a fault says. */
export function hasStack({ stdout, stderr }: Ended): boolean {
  return /^\s+at |internal error|Warning:|node:internal/m.test(stdout + stderr)
}
