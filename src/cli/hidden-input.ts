// Reads a secret at a terminal without showing it, and one line of text. Ctrl-D gives nothing; Ctrl-C ends the command.
import { createInterface, type Interface } from "node:readline"
import { Writable } from "node:stream"
import { interrupted } from "./interruptible.ts"

/** Where a key is made. */
const keyPages: Readonly<Record<string, string>> = {
  anthropic: "https://console.anthropic.com/settings/keys",
  openai: "https://platform.openai.com/api-keys",
  google: "https://aistudio.google.com/apikey",
  openrouter: "https://openrouter.ai/settings/keys",
}

/** Asks for a key of a provider. Undefined after Ctrl-D. */
export function readKey(provider: string): Promise<string | undefined> {
  if (Object.hasOwn(keyPages, provider)) process.stderr.write(`Keys are made at ${keyPages[provider]}\n`)
  return readHidden(`Paste the API key of ${provider} (not shown): `)
}

/**
 * A line break before the text, as in what was copied, is no answer. The question appears when the terminal no longer shows
 * what is typed.
 */
async function readHidden(question: string): Promise<string | undefined> {
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() })
  const ask = () => void process.stderr.write(question)
  try {
    return await readLine(hidden, ask, (line) => line.trim() !== "")
  } finally {
    process.stderr.write("\n")
  }
}

/** Undefined after Ctrl-D. */
export function readAnswer(question: string): Promise<string | undefined> {
  return readLine(process.stderr, (terminal) => {
    terminal.setPrompt(question)
    terminal.prompt()
  })
}

/** Lines that are not accepted are skipped. */
function readLine(
  output: NodeJS.WritableStream,
  ask: (terminal: Interface) => void,
  isAccepted: (line: string) => boolean = () => true,
): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const terminal = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 })
    terminal.once("close", () => resolve(undefined))
    terminal.once("SIGINT", () => {
      process.stderr.write("\n")
      reject(interrupted())
      terminal.close()
    })
    terminal.on("line", (line) => {
      if (!isAccepted(line)) return
      resolve(line)
      terminal.close()
    })
    ask(terminal)
  })
}
