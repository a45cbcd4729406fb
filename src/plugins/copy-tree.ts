// Copies the files of a plugin: files, folders and links within it, for the owner alone and bounded. Leaves out .git and
// the file of the user's settings. Runs nothing.
import { constants } from "node:fs"
import { lstat, mkdir, open, opendir, readlink, symlink, type FileHandle } from "node:fs/promises"
import { dirname, isAbsolute, join, resolve, sep } from "node:path"
import { describeError } from "../config/faults.ts"
import { oneLine } from "../contract/text/text.ts"
import { isInside } from "./inside.ts"
import { settingsFile } from "./pins.ts"

export const MAX_PLUGIN_FILES = 5000
export const MAX_PLUGIN_BYTES = 100 * 1024 * 1024
const MAX_SHOWN_PATH = 200

/** Why a plugin cannot be installed, for people. */
export class PluginFault extends Error {
  override readonly name = "PluginFault"
}

interface Copy {
  readonly from: string
  readonly to: string
  readonly signal: AbortSignal
  files: number
  bytes: number
}

/** `to` must not exist. Throws PluginFault, and the reason of the signal when it is aborted. */
export async function copyTree(from: string, to: string, signal: AbortSignal): Promise<void> {
  const copy: Copy = { from, to, signal, files: 0, bytes: 0 }
  await copyFolder(copy, "")
}

async function copyFolder(copy: Copy, name: string): Promise<void> {
  await mkdir(join(copy.to, name), { mode: 0o700 })
  for await (const entry of await opendir(join(copy.from, name))) {
    copy.signal.throwIfAborted()
    const isSettings = name === "" && entry.name === settingsFile && entry.isFile()
    if (entry.name === ".git" || isSettings) continue
    copy.files += 1
    if (copy.files > MAX_PLUGIN_FILES) throw new PluginFault(`it has more than ${MAX_PLUGIN_FILES} files`)
    await copyEntry(copy, join(name, entry.name))
  }
}

async function copyEntry(copy: Copy, name: string): Promise<void> {
  const found = await lstat(join(copy.from, name))
  if (found.isDirectory()) return copyFolder(copy, name)
  if (found.isSymbolicLink()) return copyLink(copy, name)
  if (!found.isFile()) throw new PluginFault(`${shown(name)} is neither a file, a folder nor a link`)
  return copyFile(copy, name)
}

/** Only to what is also copied: an absolute link would lead to the source. */
async function copyLink({ from, to }: Copy, name: string): Promise<void> {
  const target = await readlink(join(from, name))
  const path = resolve(dirname(join(from, name)), target)
  const isWithin = path === from || path.startsWith(from + sep)
  if (isAbsolute(target) || !isWithin || !isInside(path, from))
    throw new PluginFault(`the link ${shown(name)} leads out of the plugin's folder`)
  await symlink(target, join(to, name))
}

async function copyFile(copy: Copy, name: string): Promise<void> {
  const source = await open(join(copy.from, name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const { mode } = await source.stat()
    const target = await open(join(copy.to, name), "wx", (mode & 0o111) === 0 ? 0o600 : 0o700)
    try {
      await copyBytes(copy, source, target)
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

async function copyBytes(copy: Copy, source: FileHandle, target: FileHandle): Promise<void> {
  const piece = Buffer.alloc(256 * 1024)
  for (;;) {
    copy.signal.throwIfAborted()
    const { bytesRead } = await source.read(piece)
    if (bytesRead === 0) return
    copy.bytes += bytesRead
    if (copy.bytes > MAX_PLUGIN_BYTES)
      throw new PluginFault(`its files have more than ${MAX_PLUGIN_BYTES / 1024 / 1024} MiB`)
    await target.writeFile(piece.subarray(0, bytesRead))
  }
}

function shown(name: string): string {
  return JSON.stringify(oneLine(name, MAX_SHOWN_PATH))
}

/** A fault of the file system as a PluginFault; others as they are. */
export function asPluginFault(error: unknown): unknown {
  const isOfSystem = error instanceof Error && "syscall" in error
  return isOfSystem ? new PluginFault(describeError(error)) : error
}
