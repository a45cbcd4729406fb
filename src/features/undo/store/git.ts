// Runs git on a shadow repository: its own object store and index, with the user's folder as work tree. No configuration,
// hook, filter or attribute of the folder has an effect, and nothing of the user's repository is written.
import { execFile } from "node:child_process"

export interface GitPlace {
  readonly gitDir: string
  readonly workTree: string
  readonly indexFile: string
}

export type GitResult =
  | { readonly kind: "done"; readonly output: Buffer }
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "missing" }
  | { readonly kind: "timeout" }

/** Bytes of output: the list of files of a large folder. */
const MAX_OUTPUT = 64 * 1024 * 1024

/** File contents are stored exactly as they are; nested repositories are never looked into. */
const settings = [
  "core.autocrlf=false",
  "core.fileMode=true",
  "core.symlinks=true",
  "core.fsmonitor=false",
  "core.quotePath=false",
  "core.hooksPath=/dev/null",
  "core.looseCompression=1",
  "diff.ignoreSubmodules=all",
  "gc.auto=0",
  "gc.packRefs=false",
].flatMap((setting) => ["-c", setting])

export function shadowGit({ gitDir, workTree, indexFile }: GitPlace, args: readonly string[], timeoutMs: number) {
  const env = { GIT_DIR: gitDir, GIT_WORK_TREE: workTree, GIT_INDEX_FILE: indexFile }
  return runGit([...settings, ...args], workTree, timeoutMs, { ...env, GIT_CONFIG_GLOBAL: "/dev/null" })
}

/** Git as the user has it, for reading only. */
export function userGit(cwd: string, args: readonly string[], timeoutMs: number): Promise<GitResult> {
  return runGit(["-c", "core.fsmonitor=false", ...args], cwd, timeoutMs, {})
}

function runGit(
  args: readonly string[],
  cwd: string,
  timeout: number,
  gitEnv: Readonly<Record<string, string>>,
): Promise<GitResult> {
  const env = gitEnvironment(gitEnv)
  return new Promise((resolve) => {
    const options = { cwd, env, timeout, killSignal: "SIGKILL", maxBuffer: MAX_OUTPUT, encoding: "buffer" } as const
    execFile("git", [...args], options, (fault, stdout, stderr) => {
      if (fault === null) return resolve({ kind: "done", output: stdout })
      if (fault.code === "ENOENT") return resolve({ kind: "missing" })
      if (fault.killed === true) return resolve({ kind: "timeout" })
      const reason = stderr.toString().trim().split("\n").at(-1) ?? ""
      return resolve({ kind: "failed", reason: reason === "" ? fault.message : reason })
    }).stdin?.end()
  })
}

/** Without the GIT_* variables of this process: in a hook of git they name the objects and the index of the user. */
export function gitEnvironment(gitEnv: Readonly<Record<string, string>>): Record<string, string> {
  const { PATH = "/usr/bin:/bin", HOME = "/", XDG_CONFIG_HOME } = process.env
  const xdg = XDG_CONFIG_HOME === undefined ? {} : { XDG_CONFIG_HOME }
  return { PATH, HOME, ...xdg, LC_ALL: "C", GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0", ...gitEnv }
}

/** The entries of output with `-z`. */
export function entriesOf(output: Buffer): readonly string[] {
  return output
    .toString()
    .split("\0")
    .filter((entry) => entry !== "")
}
