// Prompts that were typed in terminals of this home, oldest first: a line of JSON each, readable by the user only.
import { appendFile, readFile } from "node:fs/promises"
import { join } from "node:path"
import { tryParseJson } from "../../contract/json-object.ts"
import { ownerOnly, replaceOwnFile } from "../../program/own-file.ts"
import type { AppContext } from "../context.ts"
import { openRedactor } from "../secrets/home-secrets.ts"

/** Prompts that are kept; longer ones are not. */
const MAX_PROMPTS = 1000
const MAX_LENGTH = 10_000

export class PromptHistoryFile {
  readonly #path: string
  readonly #redact: (text: string) => string

  constructor(home: string, redact: (text: string) => string) {
    this.#path = join(home, "prompt-history.jsonl")
    this.#redact = redact
  }

  /** A file that has grown too long is cut. */
  async read(): Promise<readonly string[]> {
    const prompts = (await this.#lines()).flatMap((line) => {
      const prompt = tryParseJson(line)
      return typeof prompt === "string" ? [prompt] : []
    })
    const kept = prompts.slice(-MAX_PROMPTS)
    if (prompts.length > 2 * MAX_PROMPTS) replaceOwnFile(this.#path, kept.map(lineOf).join(""))
    return kept
  }

  async add(prompt: string): Promise<void> {
    if (prompt.length > MAX_LENGTH) return
    await appendFile(this.#path, lineOf(this.#redact(prompt)), { mode: ownerOnly })
  }

  async #lines(): Promise<readonly string[]> {
    try {
      return (await readFile(this.#path, "utf8")).split("\n")
    } catch (fault) {
      if (fault instanceof Error && "code" in fault && fault.code === "ENOENT") return []
      throw fault
    }
  }
}

/** Known secrets are redacted before a prompt is stored. */
export function openPromptHistory({ home, config }: Pick<AppContext, "home" | "config">): PromptHistoryFile {
  const redactor = openRedactor(home, config)
  return new PromptHistoryFile(home, (text) => redactor.text(text))
}

function lineOf(prompt: string): string {
  return `${JSON.stringify(prompt)}\n`
}
