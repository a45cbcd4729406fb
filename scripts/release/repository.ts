// What must be true of the repository before a release: each function throws a sentence that says what to do.
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { isObject } from "../../src/contract/json-object.ts"

export class ReleaseFault extends Error {
  override readonly name = "ReleaseFault"
}

export function checkClean(root: string): string {
  const changed = git(root, "status", "--porcelain")
  if (changed !== "") throw new ReleaseFault(`the tree has uncommitted changes:\n${changed}\nCommit or remove them.`)
  return "nothing uncommitted"
}

/** The version of package.json, which package-lock.json repeats and the changelog describes. */
export function checkVersion(root: string): string {
  const [version, locked] = ["package.json", "package-lock.json"].map((file) => versionIn(join(root, file)))
  if (version !== locked)
    throw new ReleaseFault(`package-lock.json has version ${locked}, package.json ${version}. Run 'npm install'.`)
  const changelog = readFileSync(join(root, "CHANGELOG.md"), "utf8")
  if (!sectionOf(changelog, String(version)))
    throw new ReleaseFault(`CHANGELOG.md has no entries under "## [${version}] - DATE". Write what changed.`)
  return `${version}, described in CHANGELOG.md`
}

/** A release is published from its tag only, so that nothing is published by accident. */
export function checkTag(root: string): string {
  const tag = `v${versionIn(join(root, "package.json"))}`
  const tags = git(root, "tag", "--points-at", "HEAD").split("\n")
  if (!tags.includes(tag))
    throw new ReleaseFault(
      `this commit is not tagged ${tag}, so nothing is published. Run with --dry-run to see what would be, or 'git tag ${tag}' first.`,
    )
  return tag
}

/** The text under the heading of a version, if it has a date and any entry. */
export function sectionOf(changelog: string, version: string): string | undefined {
  const [, section] = changelog.split(
    new RegExp(`^## \\[${version.replaceAll(".", "\\.")}\\] - \\d{4}-\\d\\d-\\d\\d$`, "m"),
  )
  const text = section?.split(/^## /m)[0]
  return text !== undefined && /^- /m.test(text) ? text.trim() : undefined
}

function versionIn(file: string): string | undefined {
  const manifest: unknown = JSON.parse(readFileSync(file, "utf8"))
  return isObject(manifest) && typeof manifest["version"] === "string" ? manifest["version"] : undefined
}

function git(root: string, ...args: readonly string[]): string {
  return execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim()
}
