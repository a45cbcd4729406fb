// The locks that a shell command line needs: for git, builds and tests, each with its folder. Everything else runs without
// a lock. Pure.
import type { LockType } from "../../../../contract/values.ts"
import type { LockKind } from "../../conflicts.ts"
import { buildNeed } from "./build-locks.ts"
import { gitNeed } from "./git-locks.ts"
import { programsOf } from "./programs-of.ts"

export interface CommandLock {
  readonly kind: LockType
  readonly folder: string
  /** Git works on the whole repository that the folder belongs to. */
  readonly holdsIn: "folder" | "repository"
  readonly notDuring?: readonly LockKind[]
}

/** Linux starts no command with a longer argument. */
const MAX_LINE_LENGTH = 131_072
/** A commit or push must not start while builds and tests run. */
const builds: readonly LockKind[] = ["build", "test", "build_test"]

export function locksOfCommand(commandLine: string, folder: string, home?: string): readonly CommandLock[] {
  if (commandLine.length > MAX_LINE_LENGTH) return []
  const locks = programsOf(withHome(commandLine, home), folder).flatMap(({ name, args, folder: cwd }) => {
    if (name === "git") return gitLocks(args, cwd)
    const need = buildNeed(name, args, cwd)
    return (need?.kinds ?? []).map((kind) => ({ kind, folder: need?.folder ?? cwd, holdsIn: "folder" }) as const)
  })
  return [...new Map(locks.map((lock) => [`${lock.kind} ${lock.holdsIn} ${lock.folder}`, lock])).values()]
}

function gitLocks(args: readonly string[], cwd: string): readonly CommandLock[] {
  const { folder, kinds } = gitNeed(args, cwd)
  return kinds.map((kind) => {
    const lock = { kind, folder, holdsIn: "repository" } as const
    return kind === "git_commit" || kind === "git_remote_write" ? { ...lock, notDuring: builds } : lock
  })
}

/** Replaces $HOME and ~, the only variable that is known here. */
function withHome(commandLine: string, home: string | undefined): string {
  if (home === undefined || !/^[\w./@+-]+$/.test(home)) return commandLine
  return commandLine
    .replaceAll(/\$(?:HOME\b|\{HOME\})/g, () => home)
    .replaceAll(/(?<=^|[\s"'(;&|])~(?=\/|[\s"');&|]|$)/g, () => home)
}
