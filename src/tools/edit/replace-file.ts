// Replaces a file atomically, if the session knows its current state. Mode and owner of an existing file are kept. A
// crash before the last step leaves the old file and a hidden temporary one beside it.
import { randomBytes } from "node:crypto"
import type { BigIntStats } from "node:fs"
import { lstat, open, rename, rm, type FileHandle } from "node:fs/promises"
import { fingerprintOf, newHash, type Fingerprint, hashedBytes, isSame, type FileMemory } from "../files/file-memory.ts"
import type { HeldFile } from "../files/with-file.ts"
import type { HeldFolder } from "../files/held-folder.ts"
import { systemCode } from "../../contract/faults.ts"
import { beginningOf, openFile, wholeFile } from "../files/open-file.ts"

export type Replaced =
  | { readonly kind: "replaced"; readonly fingerprint: Fingerprint }
  /** Another program changed it at the same moment; it was not replaced. */
  | { readonly kind: "changed" }

/** `before` is the state of the existing file, undefined for a new one; `like` has the mode and owner to keep. */
export async function replaceFile(
  { folder, name }: HeldFile,
  bytes: Buffer,
  before: BigIntStats | undefined,
  like = before,
): Promise<Replaced> {
  const path = folder.at(name)
  const temporary = folder.at(`.turnhouse-${randomBytes(8).toString("hex")}.tmp`)
  const handle = await open(temporary, "wx", 0o666)
  let moved = false
  try {
    await fill(handle, bytes, like)
    if (!isSameFile(before, await statOf(path))) return { kind: "changed" }
    await rename(temporary, path)
    moved = true
    const stat = await handle.stat({ bigint: true })
    await syncFolder(folder)
    return { kind: "replaced", fingerprint: fingerprintOf(stat, newHash().update(bytes).digest("hex")) }
  } finally {
    await handle.close()
    if (!moved) await rm(temporary, { force: true })
  }
}

async function fill(handle: FileHandle, bytes: Buffer, like: BigIntStats | undefined): Promise<void> {
  await handle.writeFile(bytes)
  if (like !== undefined) {
    if (process.getuid?.() === 0 && (like.uid !== 0n || like.gid !== 0n))
      await handle.chown(Number(like.uid), Number(like.gid))
    await handle.chmod(Number(like.mode & 0o7777n))
  }
  await handle.sync()
}

function isSameFile(before: BigIntStats | undefined, now: BigIntStats | undefined): boolean {
  if (before === undefined || now === undefined) return before === now
  return before.ino === now.ino && before.mtimeNs === now.mtimeNs && before.size === now.size
}

async function statOf(path: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true })
  } catch (fault) {
    if (systemCode(fault) === "ENOENT") return undefined
    throw fault
  }
}

async function syncFolder(folder: HeldFolder): Promise<void> {
  const handle = await open(folder.at("."), "r")
  try {
    await handle.sync()
  } catch (fault) {
    if (systemCode(fault) !== "EINVAL") throw fault // some file systems cannot sync a folder
  } finally {
    await handle.close()
  }
}

export type Existing =
  | {
      readonly kind: "file"
      readonly stat: BigIntStats
      readonly bytes: Buffer | undefined
      readonly print: Fingerprint
    }
  | { readonly kind: "none" }
  | { readonly kind: "no"; readonly reason: string }

/** Larger files come without their bytes. */
export const loadedBytes = hashedBytes

export async function existingFile(file: HeldFile): Promise<Existing> {
  try {
    const opened = await openFile(file)
    if (opened.kind === "no") return opened
    await using handle = opened.handle
    const { stat } = opened
    const isLoaded = stat.size <= loadedBytes
    const bytes = isLoaded ? await wholeFile(handle, await beginningOf(handle, stat), loadedBytes) : undefined
    if (bytes === undefined) return { kind: "file", stat, bytes, print: fingerprintOf(stat, undefined) }
    return { kind: "file", stat, bytes, print: fingerprintOf(stat, newHash().update(bytes).digest("hex")) }
  } catch (fault) {
    if (systemCode(fault) === "ENOENT") return { kind: "none" }
    throw fault
  }
}

/** Why the file must not be replaced: another program changed it since the session read it. */
export function changeSinceRead(
  memory: FileMemory,
  { realPath, displayPath }: HeldFile,
  now: Fingerprint,
): string | undefined {
  const known = memory.recall(realPath)
  if (known === undefined || isSame(known, now)) return undefined
  return `${displayPath} was changed by another program since it was read; nothing was done. Read it again first.`
}
