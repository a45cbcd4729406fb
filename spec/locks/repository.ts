// For tests: a git repository in the folder of a test home.
import { execFileSync } from "node:child_process"
import type { Place } from "../e2e/turnhouse.ts"

export function makeRepository(place: Place): void {
  git(place, "init", "-q", "-b", "main")
  git(place, "config", "user.email", "you@example.com")
  git(place, "config", "user.name", "You")
  git(place, "commit", "-q", "--allow-empty", "-m", "the beginning")
}

export function git(place: Place, ...args: readonly string[]): string {
  return execFileSync("git", args, { cwd: place.folder, encoding: "utf8", env: place.env }).trim()
}

export function subjects(place: Place, branch = "HEAD"): string {
  return git(place, "log", "--format=%s", branch)
}
