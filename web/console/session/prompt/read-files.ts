// Files that a person picks, drops or pastes, as attachments of a prompt.
import { limits } from "../../../../src/contract/limits.ts"
import type { Attachment } from "../../../../src/contract/values.ts"

const UNKNOWN = "application/octet-stream"
const MAX_FILES = 20

export interface ReadFiles {
  readonly attachments: readonly Attachment[]
  /** Why some are not attached. */
  readonly problem: string | undefined
}

export async function readFiles(files: readonly File[], before: readonly Attachment[]): Promise<ReadFiles> {
  const attachments = [...before]
  let room = limits.attachmentBytes - before.reduce((sum, { data = "" }) => sum + data.length, 0)
  const left: string[] = []
  for (const file of files) {
    const bytes = Math.ceil(file.size / 3) * 4
    if (bytes > room || attachments.length >= MAX_FILES) {
      left.push(file.name)
      continue
    }
    room -= bytes
    const data = toBase64(new Uint8Array(await file.arrayBuffer()))
    attachments.push({ name: file.name, mediaType: file.type === "" ? UNKNOWN : file.type, data })
  }
  const problem = left.length === 0 ? undefined : `Not attached, too large or too many: ${left.join(", ")}.`
  return { attachments, problem }
}

const CHUNK = 0x8000

function toBase64(bytes: Uint8Array): string {
  let text = ""
  for (let at = 0; at < bytes.length; at += CHUNK) text += String.fromCharCode(...bytes.subarray(at, at + CHUNK))
  return btoa(text)
}
