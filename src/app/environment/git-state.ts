// What git says about a folder, for the model: branch, changed files, newest commits. Bounded in size and time. Git runs
// without what a repository could make it start; a repository whose configuration could do so anyway needs trust.
import { execFile } from "node:child_process"
import { closeSync, openSync, readSync } from "node:fs"
import { join } from "node:path"
import { oneLine } from "../../contract/text/text.ts"

/** A turn does not wait longer for git. */
const TIMEOUT_MS = 500
const MAX_OUTPUT_BYTES = 1024 * 1024
const MAX_CONFIG_BYTES = 64 * 1024
const MAX_FILES = 20
const MAX_COMMITS = 3
const MAX_LINE_LENGTH = 120

/** Neither hooks, monitors, signature programs nor submodules are started. */
const options = [
  "--no-optional-locks",
  ...["core.fsmonitor=false", "core.hooksPath=/dev/null", "log.showSignature=false"].flatMap((each) => ["-c", each]),
]
const statusArgs = ["status", "--porcelain=v1", "--branch", "--ignore-submodules=all"]
const logArgs = ["log", `--max-count=${MAX_COMMITS}`, "--format=%h %s"]
/** Sections with which a repository names programs that `git status` runs, or other files that could. */
const startsPrograms = /\[\s*(?:filter|include)|worktreeconfig/i

export interface GitPlace {
  /** Folder with `.git`. */
  readonly root: string
  readonly cwd: string
  readonly trusted: boolean
  readonly env: NodeJS.ProcessEnv
  readonly timeoutMs?: number
}

/** Undefined where nothing is known: no commit or program, an untrusted configuration, or git took too long. */
export async function gitState(place: GitPlace): Promise<string | undefined> {
  if (!place.trusted && !isPlainRepository(place.root)) return undefined
  const [status, log] = await Promise.all([git(place, statusArgs), git(place, logArgs)])
  const lines = [...statusLines(status), ...commitLines(log)]
  return lines.length === 0 ? undefined : lines.join("\n")
}

/** A worktree or submodule has its configuration elsewhere. */
function isPlainRepository(root: string): boolean {
  try {
    const text = beginningOf(join(root, ".git", "config"))
    return text !== undefined && !startsPrograms.test(text)
  } catch {
    return false // not a folder, or not readable
  }
}

/** Undefined if the file is longer than a configuration is. */
function beginningOf(path: string): string | undefined {
  const descriptor = openSync(path, "r")
  try {
    const bytes = Buffer.alloc(MAX_CONFIG_BYTES)
    const length = readSync(descriptor, bytes)
    return length === bytes.length ? undefined : bytes.toString("utf8", 0, length)
  } finally {
    closeSync(descriptor)
  }
}

/** Empty if git fails or takes too long. */
function git({ cwd, env, timeoutMs = TIMEOUT_MS }: GitPlace, args: readonly string[]): Promise<string> {
  const { PATH, HOME } = env
  const ownEnv = { PATH, HOME, LC_ALL: "C.UTF-8", GIT_TERMINAL_PROMPT: "0", GIT_NO_LAZY_FETCH: "1" }
  const limits = { timeout: timeoutMs, killSignal: "SIGKILL", maxBuffer: MAX_OUTPUT_BYTES } as const
  return new Promise((resolve) => {
    execFile("git", [...options, ...args], { cwd, env: ownEnv, ...limits }, (fault, stdout) =>
      resolve(fault === null ? stdout : ""),
    )
  })
}

function statusLines(status: string): readonly string[] {
  const [branch, ...files] = status.split("\n").filter((line) => line !== "")
  if (branch === undefined) return []
  const shown = files.slice(0, MAX_FILES).map(fileLine)
  const more = files.length > MAX_FILES ? [`  … and ${files.length - MAX_FILES} more`] : []
  const changes = files.length === 0 ? ["Changed files: none"] : [`Changed files (${files.length}):`, ...shown, ...more]
  return [`Git branch: ${oneLine(branch.replace(/^## /, ""), MAX_LINE_LENGTH)}`, ...changes]
}

/** Two letters for index and folder, one of them may be a space. */
function fileLine(line: string): string {
  return `  ${line.slice(0, 2)} ${oneLine(line.slice(3), MAX_LINE_LENGTH)}`
}

function commitLines(log: string): readonly string[] {
  const commits = log.split("\n").filter((line) => line !== "")
  return commits.length === 0
    ? []
    : ["Newest commits:", ...commits.map((line) => `  ${oneLine(line, MAX_LINE_LENGTH)}`)]
}
