// Turns file paths of a prompt into attachments. A file that is too large or of an unsupported type becomes a note for the
// model; a path that is not a readable file is a problem for the sender. Never follows a final link or waits for a pipe.
import { constants } from "node:fs"
import { open, type FileHandle } from "node:fs/promises"
import { basename, resolve } from "node:path"
import type { Attachment } from "../../contract/values.ts"
import { attachmentKind, type AttachmentKind } from "./attachment-kind.ts"

export interface StagedFiles {
  readonly attachments: Attachment[]
  /** One line for each file that is not attached. */
  readonly notes: string[]
  /** One sentence for each path that is not a readable, non-empty file. */
  readonly problems: string[]
}

const mebibyte = 1024 * 1024
const fileLimits = {
  files: 8,
  allBytes: 15 * mebibyte,
  fileBytes: 10 * mebibyte,
  imageBytes: 3.5 * mebibyte,
  imageSide: 8000,
  textBytes: 256 * 1024,
  titleLength: 128,
}

type Loaded =
  | { readonly kind: "attachment"; readonly attachment: Attachment; readonly bytes: number }
  | { readonly kind: "note"; readonly note: string }
  | { readonly kind: "problem"; readonly problem: string }

/** `nameOf`: how the model sees a file. */
export async function stageFiles(
  paths: readonly string[],
  cwd: string,
  nameOf: (path: string) => string = basename,
): Promise<StagedFiles> {
  const staged: StagedFiles = { attachments: [], notes: [], problems: [] }
  let room = fileLimits.allBytes
  for (const path of paths) {
    const hasRoom = staged.attachments.length < fileLimits.files
    const real = resolve(cwd, path)
    const loaded = await load({ path: real, title: titleOf(nameOf(real)) }, hasRoom ? room : 0)
    if (loaded.kind === "problem") staged.problems.push(loaded.problem)
    if (loaded.kind === "note") staged.notes.push(loaded.note)
    if (loaded.kind !== "attachment") continue
    staged.attachments.push(loaded.attachment)
    room -= loaded.bytes
  }
  return staged
}

interface NamedFile {
  readonly path: string
  readonly title: string
}

async function load(named: NamedFile, room: number): Promise<Loaded> {
  const { path } = named
  let file: FileHandle
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (fault) {
    return { kind: "problem", problem: `${path} ${openProblem(fault)}` }
  }
  try {
    return await loadOpen(file, named, room)
  } catch (fault) {
    return { kind: "problem", problem: `${path} ${openProblem(fault)}` }
  } finally {
    await file.close()
  }
}

async function loadOpen(file: FileHandle, named: NamedFile, room: number): Promise<Loaded> {
  const { path, title: name } = named
  const stat = await file.stat()
  if (!stat.isFile()) return { kind: "problem", problem: `${path} is not a regular file` }
  if (stat.size === 0) return { kind: "problem", problem: `${path} is empty` }
  if (stat.size > fileLimits.fileBytes) return note(named, stat.size, undefined, "larger than 10 MiB")
  if (stat.size > room) return note(named, stat.size, undefined, "more than 8 files or 15 MiB in all")
  const bytes = await readUpTo(file, stat.size)
  const kind = attachmentKind(bytes)
  const reason = kindProblem(kind, bytes.length)
  if (reason !== undefined) return note(named, bytes.length, kind, reason)
  const attachment = { name, mediaType: mediaType(kind), data: bytes.toString("base64") }
  return { kind: "attachment", attachment, bytes: bytes.length }
}

/** A file that grows meanwhile is read up to its size at the start. */
async function readUpTo(file: FileHandle, size: number): Promise<Buffer> {
  const buffer = Buffer.alloc(size)
  let filled = 0
  while (filled < size) {
    const { bytesRead } = await file.read(buffer, filled, size - filled, filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}

function kindProblem(kind: AttachmentKind, bytes: number): string | undefined {
  switch (kind.kind) {
    case "image":
      if (bytes > fileLimits.imageBytes) return "larger than 3.5 MiB"
      if (Math.max(kind.size?.width ?? 0, kind.size?.height ?? 0) > fileLimits.imageSide)
        return "wider than 8000 pixels"
      return undefined
    case "text":
      return bytes > fileLimits.textBytes ? "larger than 256 KiB" : undefined
    case "pdf":
      return undefined
    case "other":
      return "not of a kind that models take"
  }
}

function mediaType(kind: AttachmentKind): string {
  if (kind.kind === "image") return kind.mediaType
  return kind.kind === "pdf" ? "application/pdf" : "text/plain"
}

function note({ path, title }: NamedFile, bytes: number, kind: AttachmentKind | undefined, reason: string): Loaded {
  const what = kind === undefined ? "" : `, ${kind.kind === "other" ? kind.what : mediaType(kind)}`
  const file = `${JSON.stringify(title)} (${bytes} bytes${what})`
  return {
    kind: "note",
    note: `[attached file ${file} is not included: ${reason}; it lies at ${JSON.stringify(path)}]`,
  }
}

function titleOf(name: string): string {
  return name
    .replaceAll(/[\p{Cc}\\]/gu, "")
    .slice(0, fileLimits.titleLength)
    .toWellFormed()
}

function openProblem(fault: unknown): string {
  const code = fault instanceof Error && "code" in fault ? fault.code : undefined
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      return "does not exist"
    case "ELOOP":
      return "is a symbolic link; name the file itself"
    case "EACCES":
    case "EPERM":
      return "may not be read"
    default:
      return `cannot be read (${typeof code === "string" ? code : "unknown fault"})`
  }
}
