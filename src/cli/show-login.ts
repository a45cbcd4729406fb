// Tells the user where to log in, and the code to type there if there is one.
import { printNotice } from "../app/terminal.ts"

export function showLogin(name: string): (address: string, code?: string) => void {
  return (address, code) => {
    const withCode = code === undefined ? "" : ` and enter the code ${code}`
    printNotice(`Open this address to log in at ${name}${withCode}:\n\n  ${address}\n`)
    printNotice("Waiting for the login. Ctrl-C cancels it.")
  }
}
