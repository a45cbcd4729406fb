// Puts new content in the place of a file in one step: whoever looks sees the old file or the new one, never a part.
// Mode and owner of an existing file are kept. A crash before the last step leaves the old file and a hidden temporary
// one beside it.
import { randomBytes } from "node:crypto"
import type { BigIntStats } from "node:fs"
import { lstat, mkdir, open, rename, rm, type FileHandle } from "node:fs/promises"
import { dirname, join } from "node:path"
import { systemCode } from "./file-faults.ts"
import { fingerprintOf, newHash, type Fingerprint } from "./file-memory.ts"

export type Replaced =
  | { readonly kind: "replaced"; readonly fingerprint: Fingerprint }
  /** Somebody else was faster; nothing was done. */
  | { readonly kind: "changed" }

/** `before` is what was found at the path, nothing for a new file. */
export async function replaceFile(real: string, content: string, before: BigIntStats | undefined): Promise<Replaced> {
  const folder = dirname(real)
  await makeFolders(folder)
  const temporary = join(folder, `.turnhouse-${randomBytes(8).toString("hex")}.tmp`)
  const bytes = Buffer.from(content)
  const handle = await open(temporary, "wx", 0o666)
  let moved = false
  try {
    await fill(handle, bytes, before)
    if (!isSameFile(before, await statOf(real))) return { kind: "changed" }
    await rename(temporary, real)
    moved = true
    const stat = await handle.stat({ bigint: true })
    await syncFolder(folder)
    return { kind: "replaced", fingerprint: fingerprintOf(stat, newHash().update(bytes).digest("hex")) }
  } finally {
    await handle.close()
    if (!moved) await rm(temporary, { force: true })
  }
}

/** By hand: the recursive mkdir of Node never ends where the system makes no folders, in /proc for example. */
async function makeFolders(folder: string): Promise<void> {
  const code = await makeFolder(folder)
  if (code === undefined || code === "EEXIST") return
  if (code === "ENOENT" && dirname(folder) !== folder) await makeFolders(dirname(folder))
  await mkdir(folder)
}

async function makeFolder(folder: string): Promise<string | undefined> {
  try {
    await mkdir(folder)
    return undefined
  } catch (fault) {
    const code = systemCode(fault)
    if (code === undefined) throw fault
    return code
  }
}

async function fill(handle: FileHandle, bytes: Buffer, before: BigIntStats | undefined): Promise<void> {
  await handle.writeFile(bytes)
  if (before !== undefined) {
    if (process.getuid?.() === 0 && (before.uid !== 0n || before.gid !== 0n))
      await handle.chown(Number(before.uid), Number(before.gid))
    await handle.chmod(Number(before.mode & 0o7777n))
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

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r")
  try {
    await handle.sync()
  } catch (fault) {
    if (systemCode(fault) !== "EINVAL") throw fault // some file systems cannot sync a folder
  } finally {
    await handle.close()
  }
}
