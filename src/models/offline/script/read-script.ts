// Reads a script file: JSON with comments and trailing commas. It is read for each call, so that an edit applies at
// once. Errors name the file and the place in it.
import { constants } from "node:fs"
import { open, type FileHandle } from "node:fs/promises"
import type { ParseError } from "jsonc-parser"
import { ModelUnavailable } from "../../model-source.ts"
import { isScript, scriptProblem } from "./check-script.ts"
import type { Script } from "../part.ts"

export async function readScript(path: string): Promise<Script> {
  const value = await parse(path, await contents(path))
  const script: unknown = Array.isArray(value) ? { steps: value } : value
  if (isScript(script)) return script
  throw new ModelUnavailable(`The script ${path} is wrong: ${scriptProblem(script)}.`)
}

/** Bytes of a script. A larger file is refused before it is in memory. */
export const MAX_SCRIPT_BYTES = 64 * 1024 * 1024

async function contents(path: string): Promise<string> {
  try {
    return await boundedText(path)
  } catch (error) {
    if (error instanceof ModelUnavailable) throw error
    const why = error instanceof Error && "code" in error ? String(error.code) : String(error)
    throw new ModelUnavailable(`The script ${path} cannot be read (${why}).`)
  }
}

/** Does not block on a pipe, and stops at the limit: a file may grow while it is read, and some of /proc are endless. */
async function boundedText(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stat = await file.stat()
    if (!stat.isFile()) throw new ModelUnavailable(`The script ${path} is not a regular file.`)
    const bytes = stat.size > MAX_SCRIPT_BYTES ? undefined : await boundedBytes(file)
    if (bytes === undefined) throw new ModelUnavailable(`The script ${path} has more than ${MAX_SCRIPT_BYTES} bytes.`)
    return bytes.toString("utf8")
  } finally {
    await file.close()
  }
}

async function boundedBytes(file: FileHandle): Promise<Buffer | undefined> {
  const pieces: Buffer[] = []
  for await (const piece of file.createReadStream({ end: MAX_SCRIPT_BYTES, autoClose: false })) pieces.push(piece)
  const bytes = Buffer.concat(pieces)
  return bytes.length > MAX_SCRIPT_BYTES ? undefined : bytes
}

async function parse(path: string, text: string): Promise<unknown> {
  try {
    return JSON.parse(text)
  } catch {
    return parseWithComments(path, text) // slower to load, and better at saying where a mistake is
  }
}

async function parseWithComments(path: string, text: string): Promise<unknown> {
  const jsonc = await import("jsonc-parser")
  const errors: ParseError[] = []
  const value: unknown = jsonc.parse(text, errors, { allowTrailingComma: true })
  const [first] = errors
  if (first === undefined) return value
  const line = text.slice(0, first.offset).split("\n").length
  throw new ModelUnavailable(
    `The script ${path} is not JSON: ${jsonc.printParseErrorCode(first.error)} in line ${line}.`,
  )
}
