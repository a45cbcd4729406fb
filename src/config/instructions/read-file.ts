// Reads the beginning of one instruction file. What is opened is the file that was checked: a link that is exchanged in
// between leads to a refusal. Never waits for a pipe or a device.
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from "node:fs"
import { describeError, hasCode } from "../faults.ts"

export type ReadInstruction =
  | { readonly kind: "text"; readonly real: string; readonly text: string; readonly cutFromBytes: number | undefined }
  | { readonly kind: "absent" | "folder" }
  | { readonly kind: "refused"; readonly why: string }

/** `refusal` is asked about the real path before the file is opened. */
export function readInstructionFile(
  path: string,
  maxCharacters: number,
  refusal: (real: string) => string | undefined,
): ReadInstruction {
  try {
    const real = realpathSync(path)
    const why = refusal(real)
    return why === undefined ? readReal(real, maxCharacters) : { kind: "refused", why }
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "ENAMETOOLONG")) return { kind: "absent" }
    return { kind: "refused", why: `it cannot be read: ${describeError(error)}` }
  }
}

function readReal(real: string, maxCharacters: number): ReadInstruction {
  const descriptor = openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const stats = fstatSync(descriptor)
    if (stats.isDirectory()) return { kind: "folder" }
    if (!stats.isFile()) return { kind: "refused", why: "it is not a regular file" }
    if (wasExchanged(descriptor, real)) return { kind: "refused", why: "it changed while it was opened" }
    const bytes = firstBytes(descriptor, maxCharacters * 4)
    if (bytes.includes(0)) return { kind: "refused", why: "it is not text in UTF-8" }
    const whole = new TextDecoder().decode(bytes)
    const isCut = whole.length > maxCharacters || bytes.length < stats.size
    const text = isCut ? whole.slice(0, maxCharacters).toWellFormed() : whole
    return { kind: "text", real, text, cutFromBytes: isCut ? stats.size : undefined }
  } finally {
    closeSync(descriptor)
  }
}

/** A folder of the path may have become a link since it was resolved. Only Linux says what a descriptor refers to. */
function wasExchanged(descriptor: number, real: string): boolean {
  return process.platform === "linux" && realpathSync(`/proc/self/fd/${descriptor}`) !== real
}

function firstBytes(descriptor: number, count: number): Uint8Array {
  const bytes = Buffer.alloc(count)
  let length = 0
  for (let got = -1; got !== 0 && length < count; length += got) got = readSync(descriptor, bytes, { offset: length })
  return bytes.subarray(0, length)
}
