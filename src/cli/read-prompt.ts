// The prompt of a command: its arguments, what stands on standard input, or both. A terminal is never read, and an
// open pipe that says nothing is not waited for unless asked (`-`): many programs start others with one.
import { fstatSync } from "node:fs"
import { usageFault } from "../app/app-fault.ts"
import { printNotice } from "../app/terminal.ts"

const patienceMs = 1000
/** Far above what a session takes; only so that an endless stream ends. */
const mostBytes = 64 * 1024 * 1024

export async function readPrompt(words: readonly string[]): Promise<string> {
  const waits = words.at(-1) === "-"
  const text = (waits ? words.slice(0, -1) : words).join(" ")
  const piped = await pipedText(waits || text === "")
  return [text, piped].filter((part) => part !== "").join("\n\n")
}

async function pipedText(waits: boolean): Promise<string> {
  if (process.stdin.isTTY || !carriesText()) return ""
  if (!waits && !(await speaks())) {
    printNotice("Standard input is open but silent; going on without it. End the arguments with '-' to wait for it.")
    return ""
  }
  return decoded(await readAll())
}

/** A pipe, a file or a socket; not /dev/null, and not a closed one. */
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
    }, patienceMs)
    process.stdin.once("readable", () => settle(true)).once("end", () => settle(true))
  })
}

async function readAll(): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of process.stdin) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > mostBytes)
      throw usageFault(`standard input holds more than ${mostBytes} bytes; put it into a file and name the file`)
    chunks.push(bytes)
  }
  return Buffer.concat(chunks)
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).trimEnd()
  } catch {
    throw usageFault("standard input is not valid UTF-8 text")
  }
}
