// Where a plugin comes from: a folder, or a git repository that is fetched without running anything of it.
import { existsSync } from "node:fs"
import { isAbsolute, join, resolve } from "node:path"
import { withUserHome } from "../../config/home.ts"
import { look, realPathOf } from "../../config/trust/project-files.ts"
import { AppFault, exitCodes, usageFault } from "../app-fault.ts"
import { gitReason } from "../../knowledge/git/git-reason.ts"
import { runSafeGit } from "../../knowledge/git/safe-git.ts"
import { git } from "../worktrees/git.ts"

export type PluginSource =
  | { readonly kind: "folder"; readonly source: string }
  | { readonly kind: "git"; readonly source: string }

/** Long enough for a large repository on a slow line. */
const TIMEOUT_MS = 300_000
const advice = "Use a folder, or the address of a git repository with https or ssh."

/** What the user typed. Throws a usage fault. */
export function parseSource(typed: string, cwd: string): PluginSource {
  if (typed === "" || typed.startsWith("-") || /[\p{Cc}]/u.test(typed))
    throw usageFault(`not a source of plugins. ${advice}`)
  if (/^(https|ssh):\/\/./.test(typed)) return { kind: "git", source: withoutPassword(typed) }
  if (typed.startsWith("file:///")) return { kind: "git", source: typed }
  if (/^[\w+.-]+:(:|\/\/)/.test(typed)) throw usageFault(`${typed}: this kind of address is not used. ${advice}`)
  const path = resolve(cwd, withUserHome(typed, process.env))
  if (look(path).kind === "absent" && /^[\w.-]+@[\w.-]+:[^:]/.test(typed)) return { kind: "git", source: typed }
  if (look(path).kind !== "folder") throw usageFault(`${typed}: there is no such folder. ${advice}`)
  return { kind: isBareRepository(path) ? "git" : "folder", source: realPathOf(path) }
}

function withoutPassword(address: string): string {
  if (!URL.canParse(address)) throw usageFault(`${address} is not a valid address. ${advice}`)
  if (new URL(address).password !== "")
    throw usageFault("the address has a password, which would be stored. Use a credential helper of git, or ssh.")
  return address
}

function isBareRepository(path: string): boolean {
  return ["HEAD", "objects", "refs"].every((name) => existsSync(join(path, name)))
}

/** Of a folder that has been recorded. */
export function knownSource(source: string, cwd: string): PluginSource {
  if (isAbsolute(source) && look(source).kind !== "folder")
    throw new AppFault(
      `${source}, where the plugin comes from, does not exist. Remove the plugin and add it from elsewhere.`,
    )
  return parseSource(source, cwd)
}

export interface FetchRequest {
  readonly signal: AbortSignal
  /** The last line of git's progress. */
  readonly onProgress: (line: string) => void
}

/** Clones into a new folder and returns the commit. Throws AppFault, or the reason of the signal. */
export async function fetchRepository(source: string, to: string, request: FetchRequest): Promise<string> {
  const { signal, onProgress } = request
  const clone = [...cloneOptions, source, to]
  const { code, stderr } = await runSafeGit(clone, { location: source, signal, onProgress, timeoutMs: TIMEOUT_MS })
  request.signal.throwIfAborted()
  if (code === "missing") throw new AppFault("git is not installed. Install it, or add the plugin from a folder.")
  if (code === "late") throw new AppFault(`${source}: git did not finish within ${TIMEOUT_MS / 60_000} minutes`)
  if (code !== 0)
    throw new AppFault(
      `${source} cannot be fetched: ${gitReason(stderr) || `git ended with ${code}`}`,
      exitCodes.unreachable,
    )
  const { output } = await git(to, "rev-parse", "HEAD")
  return output
}

const cloneFlags = ["--depth=1", "--single-branch", "--no-tags", "--no-recurse-submodules", "--template=", "--progress"]
const cloneOptions = ["clone", ...cloneFlags, "--"]
