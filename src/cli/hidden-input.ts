// Reads a secret at a terminal without showing it, and one line of text. Ctrl-D gives nothing; Ctrl-C ends the command.
import { createInterface } from "node:readline"
import { Writable } from "node:stream"
import { AppFault, exitCodes } from "../app/app-fault.ts"

/** Undefined after Ctrl-D. */
export function readHidden(question: string): Promise<string | undefined> {
  process.stderr.write(question)
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() })
  return readLine(hidden, "").finally(() => process.stderr.write("\n"))
}

/** Undefined after Ctrl-D. */
export function readAnswer(question: string): Promise<string | undefined> {
  return readLine(process.stderr, question)
}

function readLine(output: NodeJS.WritableStream, question: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const terminal = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 })
    terminal.once("close", () => resolve(undefined))
    terminal.once("SIGINT", () => {
      process.stderr.write("\n")
      reject(new AppFault("interrupted; nothing was changed", exitCodes.interrupted))
      terminal.close()
    })
    terminal.question(question, (answer) => {
      resolve(answer)
      terminal.close()
    })
  })
}
