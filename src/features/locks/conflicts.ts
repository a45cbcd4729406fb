// What must not happen at the same time in one place, when two different holders do it. The nine types are those of the
// wire; files that others read and write have rows in the same book, so they are kinds as well. Pure.
import type { LockType } from "../../contract/values.ts"
import { overlap } from "./scope.ts"

export type LockKind = LockType | "file_read" | "file_write"

/** One lock that somebody wants or has. */
export interface Want {
  readonly kind: LockKind
  readonly scope: string
  /** What besides its own conflicts must not go on elsewhere when it begins. */
  readonly notDuring?: readonly LockKind[]
}

const builds: readonly LockKind[] = ["build", "test", "build_test"]
/** They rewrite the files of a working folder. */
const rewrites: readonly LockKind[] = ["git_remote_merge", "git_branch", "git_destructive"]
const gitWrites: readonly LockKind[] = ["git_index", "git_commit", ...rewrites]

/** Held by one, these keep another from what is wanted. */
const keptFrom: Readonly<Record<LockKind, readonly LockKind[]>> = {
  build: ["build", "build_test", ...rewrites, "file_write"],
  test: ["test", "build_test", ...rewrites, "file_write"],
  build_test: [...builds, ...rewrites, "file_write"],
  git_index: [...gitWrites, "file_write"],
  git_commit: [...gitWrites, "file_write"],
  git_remote_write: ["git_remote_write", "file_write"],
  git_remote_merge: [...builds, ...gitWrites, "file_write"],
  git_branch: [...builds, ...gitWrites, "file_write"],
  git_destructive: [...builds, ...gitWrites, "file_write"],
  file_read: ["file_write"],
  // A file that is written while another one stages or commits is in the next commit, or was in this one.
  file_write: [...builds, ...rewrites, "file_read", "file_write"],
}

/** In this order several locks of one call are taken. */
export const lockOrder: readonly LockKind[] = Object.keys(keptFrom).filter(isLockKind)

export function isLockKind(name: string): name is LockKind {
  return Object.hasOwn(keptFrom, name)
}

/** The nine of the wire; those of files stay in the house. */
export function isLockType(kind: LockKind): kind is LockType {
  return kind !== "file_read" && kind !== "file_write"
}

/** Whether what one holds keeps another from beginning what they want. */
export function blocks(held: Want, wanted: Want): boolean {
  const isInTheWay = keptFrom[wanted.kind].includes(held.kind) || wanted.notDuring?.includes(held.kind) === true
  return isInTheWay && overlap(held.scope, wanted.scope)
}

/** Whether the two must be one after the other, whoever is first. */
export function exclude(one: Want, other: Want): boolean {
  return blocks(one, other) || blocks(other, one)
}

export function inOrder<Wanted extends Want>(wants: readonly Wanted[]): readonly Wanted[] {
  return wants.toSorted(
    (one, other) => lockOrder.indexOf(one.kind) - lockOrder.indexOf(other.kind) || (one.scope < other.scope ? -1 : 1),
  )
}
