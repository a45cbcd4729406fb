// A yes-or-no question at a terminal. Only y and yes confirm; Ctrl-D declines; Ctrl-C ends the command.
import { createInterface } from "node:readline"
import { usageFault } from "../app/app-fault.ts"
import { interrupted } from "./interruptible.ts"

export function canAsk(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY
}

export function confirm(question: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const terminal = createInterface({ input: process.stdin, output: process.stderr })
    terminal.once("close", () => resolve(false))
    terminal.once("SIGINT", () => {
      process.stderr.write("\n")
      reject(interrupted())
      terminal.close()
    })
    terminal.question(`${question} [y/N] `, (answer) => {
      resolve(/^\s*y(es)?\s*$/i.test(answer))
      terminal.close()
    })
  })
}

/** For what cannot be undone: a script needs --yes, a user is asked. */
export async function confirmed(yes: boolean, question: string): Promise<boolean> {
  if (yes) return true
  if (!canAsk()) throw usageFault("this cannot be undone, and there is no terminal to confirm it. Use --yes.")
  return confirm(question)
}
