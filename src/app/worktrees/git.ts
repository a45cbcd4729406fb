// Git for the worktrees of sessions. It runs in the user's repository, without its hooks.
import { execFile } from "node:child_process"
import { gitReason } from "../../knowledge/git/git-reason.ts"

export interface GitEnd {
  readonly code: number
  readonly output: string
  /** What git printed about an error, in one line. */
  readonly reason: string
}

/** Long enough for a large checkout. */
const TIMEOUT_MS = 120_000
const MAX_OUTPUT = 16 * 1024 * 1024

export function git(cwd: string, ...args: readonly string[]): Promise<GitEnd> {
  const options = { cwd, timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT, env: { ...process.env, LC_ALL: "C" } }
  return new Promise((resolve) => {
    execFile("git", ["-c", "core.hooksPath=/dev/null", ...args], options, (fault, stdout, stderr) => {
      if (fault === null) return resolve({ code: 0, output: stdout.trimEnd(), reason: "" })
      if (fault.code === "ENOENT") return resolve({ code: 127, output: "", reason: "git is not installed" })
      const code = typeof fault.code === "number" ? fault.code : 1
      return resolve({ code, output: stdout.trimEnd(), reason: gitReason(stderr) || fault.message })
    }).stdin?.end()
  })
}
