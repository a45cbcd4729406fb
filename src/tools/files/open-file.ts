// Opens regular files only. A FIFO, a socket or a device could block or act when it is opened, so the kind is checked
// before and after opening.
import { constants, type BigIntStats } from "node:fs"
import { lstat, open, type FileHandle } from "node:fs/promises"
import type { HeldFile } from "./with-file.ts"

export type Opened =
  | { readonly kind: "file"; readonly handle: FileHandle; readonly stat: BigIntStats }
  | { readonly kind: "no"; readonly reason: string }

const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW | constants.O_NOCTTY

/** The path is resolved: a symlink in its place was put there in the meantime. */
export async function openFile({ folder, name, displayPath }: HeldFile): Promise<Opened> {
  const path = folder.at(name)
  const before = await lstat(path, { bigint: true })
  if (!before.isFile()) return { kind: "no", reason: notRegularFileMessage(before, displayPath) }
  const handle = await open(path, flags)
  const stat = await handle.stat({ bigint: true })
  if (stat.isFile()) return { kind: "file", handle, stat }
  await handle.close()
  return { kind: "no", reason: notRegularFileMessage(stat, displayPath) }
}

export function notRegularFileMessage(stat: BigIntStats, displayPath: string): string {
  if (stat.isDirectory()) return `${displayPath} is a folder; use ls to see what is in it.`
  return `${displayPath} is ${kindOf(stat)}, not a regular file.`
}

export function kindOf(stat: BigIntStats): string {
  if (stat.isDirectory()) return "a folder"
  if (stat.isFIFO()) return "a FIFO"
  if (stat.isSocket()) return "a socket"
  if (stat.isSymbolicLink()) return "a symbolic link"
  return stat.isFile() ? "a file" : "a device"
}

/** From the start of the file. Every chunk uses the same buffer and is valid only until the next one. */
export async function* chunksOf(handle: FileHandle, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.alloc(64 * 1024)
  let position = 0
  for (;;) {
    if (signal?.aborted) return
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position)
    if (bytesRead === 0) return
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

/** The first bytes of a file. */
export async function headOf(handle: FileHandle, length: number): Promise<Uint8Array> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, 0)
  return buffer.subarray(0, bytesRead)
}

/** Undefined if it has more bytes, also where it grew only now. */
export async function wholeFile(handle: FileHandle, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of chunksOf(handle)) {
    length += chunk.length
    if (length > maxBytes) return undefined
    chunks.push(Buffer.from(chunk))
  }
  return Buffer.concat(chunks)
}
