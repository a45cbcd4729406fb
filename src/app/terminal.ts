// Output for a user: results go to stdout, notices to stderr. Coloured on a terminal, plain in a pipe.
import { styleText } from "node:util"

type Style = Parameters<typeof styleText>[0]

type Print = () => void

let printAbove = (print: Print) => print()

/** While a command draws lines at the bottom of the terminal, notices are printed above them. */
export function printNoticesAbove(above: (print: Print) => void): void {
  printAbove = above
}

export function printNotice(line: string): void {
  printAbove(() => void process.stderr.write(`${line}\n`))
}

const MAX_KEPT_WARNINGS = 20
let printedWarnings: readonly string[] = []

/** For a session that runs in this process. */
export function printSessionWarning(sessionId: string, message: string): void {
  printWarning(`session ${sessionId.slice(0, 8)}: `, message)
}

/** Of the configuration. Sessions have the same warnings. */
export function printConfigWarning(message: string): void {
  printWarning("turnhouse: ", message)
}

function printWarning(origin: string, message: string): void {
  printedWarnings = [...printedWarnings, message].slice(-MAX_KEPT_WARNINGS)
  printNotice(origin + message)
}

/** Whether this process has printed the warning itself, so that a client in it need not. True once per warning. */
export function takePrintedWarning(message: string): boolean {
  const at = printedWarnings.indexOf(message)
  printedWarnings = printedWarnings.filter((_, index) => index !== at)
  return at !== -1
}

/** Only on a terminal, and not if NO_COLOR is set. */
export function styled(style: Style, text: string, stream: NodeJS.WriteStream = process.stderr): string {
  return styleText(style, text, { stream, validateStream: true })
}
