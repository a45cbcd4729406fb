// The version of a file as git counts it: content, kind and executable bit. Files are read relative to a held folder, so
// that a link in the path is never followed.
import { createHash } from "node:crypto"
import { lstatSync, readFileSync, readlinkSync, type Stats } from "node:fs"
import { basename, dirname } from "node:path"
import { systemCode } from "../../../contract/faults.ts"
import { holdFolder, type HeldFolder } from "../../../tools/files/held-folder.ts"

export interface FileVersion {
  readonly mode: "100644" | "100755" | "120000"
  /** Of a git blob: SHA-1, or SHA-256 where the user's repository uses it. */
  readonly hash: string
}

export type Found =
  | { readonly kind: "file"; readonly version: FileVersion; readonly content: Buffer; readonly stat: Stats }
  | { readonly kind: "none" }
  /** A folder, a device, or a path through a link. */
  | { readonly kind: "other" }

/** Larger files are not compared; they count as changed. */
export const MAX_COMPARED_BYTES = 256 * 1024 * 1024

export function findVersion(file: string, algorithm: "sha1" | "sha256"): Found {
  try {
    using folder = holdFolder(dirname(file), { guardFolders: () => () => undefined })
    return versionIn(folder, basename(file), algorithm)
  } catch (fault) {
    const code = systemCode(fault)
    if (code === "ENOENT") return { kind: "none" }
    if (code === "ENOTDIR" || code === "ELOOP" || code === "EACCES") return { kind: "other" }
    throw fault
  }
}

export function versionIn(folder: HeldFolder, name: string, algorithm: "sha1" | "sha256"): Found {
  const path = folder.at(name)
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return { kind: "none" }
  if (stat.isSymbolicLink()) return found("120000", readlinkSync(path, { encoding: "buffer" }), stat, algorithm)
  if (!stat.isFile() || stat.size > MAX_COMPARED_BYTES) return { kind: "other" }
  return found((stat.mode & 0o100) === 0 ? "100644" : "100755", readFileSync(path), stat, algorithm)
}

function found(mode: FileVersion["mode"], content: Buffer, stat: Stats, algorithm: "sha1" | "sha256"): Found {
  return { kind: "file", version: { mode, hash: blobHash(content, algorithm) }, content, stat }
}

export function blobHash(content: Buffer, algorithm: "sha1" | "sha256"): string {
  return createHash(algorithm).update(`blob ${content.length}\0`).update(content).digest("hex")
}

export function isSameVersion(one: FileVersion | undefined, other: FileVersion | undefined): boolean {
  return one?.hash === other?.hash && one?.mode === other?.mode
}

/** Git's modes of files; undefined for what is absent or not a file. */
export function modeOf(mode: string): FileVersion["mode"] | undefined {
  return mode === "100644" || mode === "100755" || mode === "120000" ? mode : undefined
}
