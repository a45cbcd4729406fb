// Which work of two different holders must not happen at the same time in the same scope. The nine lock types are those of
// the wire; files that are read and written have rows in the same table, so they are kinds as well. Pure.
import type { LockType } from "../../contract/values.ts"
import { overlap } from "./scope.ts"

export type LockKind = LockType | "file_read" | "file_write"

/** A lock that is requested or held. */
export interface LockRequest {
  readonly kind: LockKind
  readonly scope: string
  /** Machine or shared folder that the scope belongs to: equal paths of two places are two folders. Absent in a store of one machine. */
  readonly place?: string
  /** Further kinds that must not be held by others when it starts. */
  readonly notDuring?: readonly LockKind[]
}

const builds: readonly LockKind[] = ["build", "test", "build_test"]
/** Work that rewrites the files of a working folder. */
const rewrites: readonly LockKind[] = ["git_remote_merge", "git_branch", "git_destructive"]
const gitWrites: readonly LockKind[] = ["git_index", "git_commit", ...rewrites]

/** For each requested kind: the kinds that block it while another holder has them. */
const blockedBy: Readonly<Record<LockKind, readonly LockKind[]>> = {
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
  // Not blocked by staging and commits: the file is part of this commit or of the next one.
  file_write: [...builds, ...rewrites, "file_read", "file_write"],
}

/** The order in which several locks of one call are taken. */
export const lockOrder: readonly LockKind[] = Object.keys(blockedBy).filter(isLockKind)

export function isLockKind(name: string): name is LockKind {
  return Object.hasOwn(blockedBy, name)
}

/** The nine types of the wire; locks of files are internal. */
export function isLockType(kind: LockKind): kind is LockType {
  return kind !== "file_read" && kind !== "file_write"
}

/** Whether a held lock blocks a requested one of another holder. */
export function blocks(held: LockRequest, requested: LockRequest): boolean {
  const isConflict = blockedBy[requested.kind].includes(held.kind) || requested.notDuring?.includes(held.kind) === true
  return isConflict && held.place === requested.place && overlap(held.scope, requested.scope)
}

/** Whether one of the two blocks the other, in either order. */
export function exclude(one: LockRequest, other: LockRequest): boolean {
  return blocks(one, other) || blocks(other, one)
}

export function inOrder<Request extends LockRequest>(requests: readonly Request[]): readonly Request[] {
  return requests.toSorted(
    (one, other) => lockOrder.indexOf(one.kind) - lockOrder.indexOf(other.kind) || (one.scope < other.scope ? -1 : 1),
  )
}
