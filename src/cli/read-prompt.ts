// Reads the prompt of a command: its arguments, standard input, or both. It never reads a terminal, and waits for a silent
// pipe only with `-`: many programs start others with an open pipe.
import { fstatSync } from "node:fs"
import { refusalFault, usageFault } from "../app/app-fault.ts"
import { limits } from "../contract/limits.ts"
import { printNotice } from "../app/terminal.ts"

const silenceMs = 1000
/** Far above the limit of a prompt; ends an endless stream. */
const MAX_BYTES = 64 * 1024 * 1024

export interface ReadPrompt {
  /** Empty if it is blank. */
  readonly text: string
  /** The part that was given as arguments. */
  readonly typed: string
}

/** Empty if it is blank. */
export async function readPrompt(args: readonly string[]): Promise<string> {
  return (await readPromptParts(args)).text
}

/** A prompt that is too large is refused before anything is started. */
export async function readPromptParts(args: readonly string[]): Promise<ReadPrompt> {
  const waits = args.at(-1) === "-"
  const typed = (waits ? args.slice(0, -1) : args).join(" ")
  const piped = await pipedText(waits || typed === "")
  const prompt = [typed, piped].filter((part) => part !== "").join("\n\n")
  const [bytes, limit] = [Buffer.byteLength(prompt), limits.promptBytes]
  if (bytes > limit) throw refusalFault({ code: "prompt.too-large", bytes, limit })
  return { text: prompt.trim() === "" ? "" : prompt, typed }
}

async function pipedText(waits: boolean): Promise<string> {
  if (process.stdin.isTTY || !carriesText()) return ""
  if (!waits && !(await speaks())) {
    printNotice("Standard input is open but silent; continuing without it. End the arguments with '-' to wait for it.")
    return ""
  }
  return decoded(await readAll())
}

/** A pipe, a file or a socket; not /dev/null and not closed. */
function carriesText(): boolean {
  try {
    const stat = fstatSync(0)
    return stat.isFIFO() || stat.isFile() || stat.isSocket()
  } catch {
    return false
  }
}

function speaks(): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (answer: boolean) => {
      clearTimeout(timer)
      process.stdin.removeAllListeners("readable").removeAllListeners("end")
      resolve(answer)
    }
    const timer = setTimeout(() => {
      settle(false)
      process.stdin.unref()
    }, silenceMs)
    process.stdin.once("readable", () => settle(true)).once("end", () => settle(true))
  })
}

async function readAll(): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of process.stdin) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > MAX_BYTES)
      throw usageFault(
        `standard input has more than ${MAX_BYTES} bytes. Put the text into a file and name the file in the prompt.`,
      )
    chunks.push(bytes)
  }
  return Buffer.concat(chunks)
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).trimEnd()
  } catch {
    throw usageFault("standard input is not valid UTF-8. Convert it first.")
  }
}
