// Reads one configuration file, with a size limit and as UTF-8. Reads streams to their end, so that
// `--config <(command)` works.
import { closeSync, openSync, readSync } from "node:fs"
import { hasCode, describeError } from "./faults.ts"

const mebibyte = 1024 * 1024

export type ReadFile =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "absent" }
  | { readonly kind: "unreadable"; readonly what: string }

export function readConfigFile(path: string, maxBytes = mebibyte): ReadFile {
  try {
    const bytes = readBounded(path, maxBytes)
    if (bytes === undefined) return { kind: "unreadable", what: tooLarge(maxBytes) }
    return { kind: "text", text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) }
  } catch (error) {
    if (hasCode(error, "ENOENT")) return { kind: "absent" }
    if (hasCode(error, "ERR_ENCODING_INVALID_ENCODED_DATA")) {
      return { kind: "unreadable", what: "it is not UTF-8 text; save it as UTF-8" }
    }
    return { kind: "unreadable", what: `it cannot be read: ${describeError(error)}` }
  }
}

function tooLarge(maxBytes: number): string {
  return `it is larger than ${maxBytes / mebibyte} MiB; check the name`
}

function readBounded(path: string, maxBytes: number): Uint8Array | undefined {
  const descriptor = openSync(path, "r")
  try {
    const bytes = Buffer.alloc(maxBytes + 1)
    let length = 0
    for (let got = -1; got !== 0 && length < bytes.length; length += got)
      got = readSync(descriptor, bytes, { offset: length })
    return length > maxBytes ? undefined : bytes.subarray(0, length)
  } finally {
    closeSync(descriptor)
  }
}
