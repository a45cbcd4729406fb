// One question at a terminal. Only a yes is a yes; Ctrl-D is a no; Ctrl-C ends the command with nothing done.
import { createInterface } from "node:readline"
import { AppFault, usageFault } from "../app/app-fault.ts"
import { exitCodes } from "../app/exit-codes.ts"

export function canAsk(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY
}

export function confirm(question: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const terminal = createInterface({ input: process.stdin, output: process.stderr })
    terminal.once("close", () => resolve(false))
    terminal.once("SIGINT", () => {
      process.stderr.write("\n")
      reject(new AppFault("stopped; nothing was done", exitCodes.interrupted))
      terminal.close()
    })
    terminal.question(`${question} [y/N] `, (answer) => {
      resolve(/^\s*y(es)?\s*$/i.test(answer))
      terminal.close()
    })
  })
}

/** For what cannot be undone: a script must say so itself, a person is asked. */
export async function confirmed(yes: boolean, question: string): Promise<boolean> {
  if (yes) return true
  if (!canAsk()) throw usageFault("this cannot be undone and nobody can be asked; say --yes if it is meant")
  return confirm(question)
}
