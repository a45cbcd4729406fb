// The form of an error of the program: one readable line, never a stack trace.
import { expect } from "vitest"
import { eventLines } from "./printed.ts"
import type { Ended } from "./running.ts"

export interface Complaint {
  readonly code: number
  /** What is wrong with the way in which it was said; nothing when all is well. */
  readonly problems: readonly string[]
}

/** Stderr must contain all `texts`. */
export function complaintOf(ended: Ended, ...texts: readonly (string | RegExp)[]): Complaint {
  const { code, stdout, stderr } = ended
  const missing = texts.filter((text) => (typeof text === "string" ? !stderr.includes(text) : !text.test(stderr)))
  const problems = [
    ...(/^turnhouse: [^\n]+\n$/.test(stderr) ? [] : [`it is not one line: ${stderr}`]),
    ...(eventLines(stdout).join("\n") === stdout.trimEnd() ? [] : [`there is more than events on stdout: ${stdout}`]),
    ...missing.map((text) => `it does not say ${String(text)}: ${stderr}`),
  ]
  return { code, problems }
}

export function noComplaint(code: number): Complaint {
  return { code, problems: [] }
}

export function expectNoStack(ended: Ended): void {
  expect(hasStack(ended) ? ended.stderr : "").toBe("")
}

/** Words that only a program with a fault says. */
export function hasStack({ stdout, stderr }: Ended): boolean {
  return /^\s+at |internal error|Warning:|node:internal/m.test(stdout + stderr)
}
