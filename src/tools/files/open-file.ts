// Opens regular files only. A FIFO, a socket or a device could block or act when it is opened, so the kind is checked
// before and after opening.
import { constants, fstatSync, lstatSync, type BigIntStats } from "node:fs"
import { open, type FileHandle } from "node:fs/promises"
import type { HeldFile } from "./with-file.ts"

export type Opened =
  | { readonly kind: "file"; readonly handle: FileHandle; readonly stat: BigIntStats }
  | { readonly kind: "no"; readonly reason: string }

/** The first bytes of a file, which say of which kind it is and often are all of it. */
export interface Beginning {
  readonly bytes: Uint8Array
  readonly isWhole: boolean
}

const CHUNK_BYTES = 64 * 1024

const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW | constants.O_NOCTTY

/**
 * The path is resolved: a symlink in its place was put there in the meantime. What the file is takes no thread: the path
 * has been looked up a moment before.
 */
export async function openFile({ folder, name, displayPath }: HeldFile): Promise<Opened> {
  const path = folder.at(name)
  const before = lstatSync(path, { bigint: true })
  if (!before.isFile()) return { kind: "no", reason: notRegularFileMessage(before, displayPath) }
  const handle = await open(path, flags)
  const stat = fstatSync(handle.fd, { bigint: true })
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

/** Every chunk after the first uses the same buffer and is valid only until the next one. */
export async function* chunksOf(
  handle: FileHandle,
  begin: Beginning,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  if (begin.bytes.length > 0) yield begin.bytes
  if (begin.isWhole) return
  const buffer = Buffer.alloc(CHUNK_BYTES)
  let position = begin.bytes.length
  for (;;) {
    if (signal?.aborted) return
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position)
    if (bytesRead === 0) return
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

/** A small file is read with one call. Some file systems give a size of 0, or less than was asked for. */
export async function beginningOf(handle: FileHandle, { size }: BigIntStats): Promise<Beginning> {
  const length = size > 0 && size < CHUNK_BYTES ? Number(size) + 1 : CHUNK_BYTES
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, 0)
  return { bytes: buffer.subarray(0, bytesRead), isWhole: bytesRead === Number(size) && bytesRead < length }
}

/** Undefined if it has more bytes, also where it grew only now. */
export async function wholeFile(handle: FileHandle, begin: Beginning, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of chunksOf(handle, begin)) {
    length += chunk.length
    if (length > maxBytes) return undefined
    chunks.push(Buffer.from(chunk))
  }
  return Buffer.concat(chunks)
}
