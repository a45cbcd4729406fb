// Reads a script file: JSON, with comments and trailing commas allowed. The file is read for each call, so that an
// edited script counts at once. Whatever is wrong is one sentence that names the file and the place in it.
import { readFile } from "node:fs/promises"
import type { ParseError } from "jsonc-parser"
import { ModelUnavailable } from "../../model-source.ts"
import { isScript, scriptProblem } from "./check-script.ts"
import type { Script } from "./script.ts"

export async function readScript(path: string): Promise<Script> {
  const value = await parse(path, await contents(path))
  const script: unknown = Array.isArray(value) ? { steps: value } : value
  if (isScript(script)) return script
  throw new ModelUnavailable(`The script ${path} is wrong: ${scriptProblem(script)}.`)
}

async function contents(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8")
  } catch (error) {
    const why = error instanceof Error && "code" in error ? String(error.code) : String(error)
    throw new ModelUnavailable(`The script ${path} cannot be read (${why}).`)
  }
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
