// The file that is about to be changed, as it is now, and whether the session still knows it.
import type { BigIntStats } from "node:fs"
import { fingerprintOf, hashedBytes, isSame, newHash, type FileMemory, type Fingerprint } from "./file-memory.ts"
import type { HeldFolder } from "./held-folder.ts"
import { openFile } from "./open-file.ts"
import { systemCode } from "./system-code.ts"

export type Existing =
  | {
      readonly kind: "file"
      readonly stat: BigIntStats
      readonly bytes: Buffer | undefined
      readonly print: Fingerprint
    }
  | { readonly kind: "none" }
  | { readonly kind: "no"; readonly why: string }

/** Larger files come without their bytes. */
export const loadedBytes = hashedBytes

export async function existingFile(folder: HeldFolder, name: string, shown: string): Promise<Existing> {
  try {
    const opened = await openFile(folder, name, shown)
    if (opened.kind === "no") return opened
    await using handle = opened.handle
    const { stat } = opened
    if (stat.size > loadedBytes) return { kind: "file", stat, bytes: undefined, print: fingerprintOf(stat, undefined) }
    const bytes = await handle.readFile()
    return { kind: "file", stat, bytes, print: fingerprintOf(stat, newHash().update(bytes).digest("hex")) }
  } catch (fault) {
    if (systemCode(fault) === "ENOENT") return { kind: "none" }
    throw fault
  }
}

/** A sentence when somebody changed the file since the session read it. */
export function changeSinceRead(memory: FileMemory, real: string, shown: string, now: Fingerprint): string | undefined {
  const known = memory.recall(real)
  if (known === undefined || isSame(known, now)) return undefined
  return `${shown} was changed by another program since it was read; nothing was done. Read it again first.`
}

export function textOf(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined // not UTF-8
  }
}
