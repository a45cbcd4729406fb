// Calls a person back to the terminal: with the bell, a notification of the desktop, or a command of the user. Only for a
// terminal; nothing is sent for what is answered at once.
import { spawn } from "node:child_process"
import type { Config } from "../contract/config.ts"
import { oneLine } from "../contract/text/text.ts"
import { printNotice } from "../app/terminal.ts"

type Setting = NonNullable<Config["notify"]>

/** Milliseconds that a request waits before the person is called: one who is watching answers it. */
export const NEEDED_MS = 1500
/** Turns that took longer have probably not been watched. */
export const LONG_TURN_MS = 30_000
const MAX_LENGTH = 120

export interface NotifierDeps {
  readonly write: (sequence: string) => void
  readonly env: Readonly<Record<string, string | undefined>>
  /** The person looks at the window: nothing is sent. */
  readonly isWatched?: () => boolean
}

const terminal: NotifierDeps = { write: (sequence) => void process.stderr.write(sequence), env: process.env }

/** Undefined where there is no terminal, or where the user wants none. */
export function openNotifier(setting: Setting | undefined, isJson: boolean): Notifier | undefined {
  const isOff = setting === "off" || isJson || !process.stderr.isTTY
  return isOff ? undefined : new Notifier(setting ?? "bell")
}

/** For a screen, which holds stderr and knows whether it has the focus. */
export function screenNotifier(setting: Setting | undefined, isWatched: () => boolean): Notifier | undefined {
  if (setting === "off") return undefined
  const deps = { write: (sequence: string) => void process.stdout.write(sequence), env: process.env, isWatched }
  return new Notifier(setting ?? "bell", deps)
}

export class Notifier {
  readonly #setting: Setting
  readonly #deps: NotifierDeps
  readonly #waiting = new Map<string, NodeJS.Timeout>()

  constructor(setting: Setting, deps: NotifierDeps = terminal) {
    this.#setting = setting
    this.#deps = deps
  }

  /** A request waits for a person. */
  needed(requestId: string, text: string): void {
    clearTimeout(this.#waiting.get(requestId))
    this.#waiting.set(requestId, setTimeout(() => this.#send(text), NEEDED_MS).unref())
  }

  settled(requestId: string): void {
    clearTimeout(this.#waiting.get(requestId))
    this.#waiting.delete(requestId)
  }

  turnEnded(ms: number | undefined, text: string): void {
    if (ms !== undefined && ms >= LONG_TURN_MS) this.#send(text)
  }

  close(): void {
    for (const timer of this.#waiting.values()) clearTimeout(timer)
    this.#waiting.clear()
  }

  #send(text: string): void {
    const message = oneLine(text, MAX_LENGTH)
    const setting = this.#setting
    if (setting === "off" || this.#deps.isWatched?.() === true) return
    if (typeof setting === "object") return runCommand(setting.command, message)
    this.#deps.write(setting === "bell" ? BELL : desktopSequence(message, this.#deps.env))
  }
}

const BELL = "\u0007"
const ESCAPE = "\u001b"
const END = `${ESCAPE}\\`

/** Terminals differ in the sequence that they take; those without one ignore it. */
export function desktopSequence(message: string, env: NotifierDeps["env"]): string {
  const term = env["TERM"] ?? ""
  if (term === "dumb") return BELL
  const text = message.replaceAll(";", ",") // separates fields
  const sequence = sequenceFor(term, text, env)
  if (env["TMUX"] === undefined) return sequence
  return `${ESCAPE}Ptmux;${sequence.replaceAll(ESCAPE, ESCAPE + ESCAPE)}${END}${BELL}` // tmux may not pass it on
}

function sequenceFor(term: string, text: string, env: NotifierDeps["env"]): string {
  if (term === "xterm-kitty" || env["KITTY_WINDOW_ID"] !== undefined) return `${ESCAPE}]99;;${text}${END}`
  if (/^(?:foot|rxvt)/.test(term)) return `${ESCAPE}]777;notify;Turnhouse;${text}${END}`
  return `${ESCAPE}]9;${text}${BELL}`
}

/** The message is its last argument. */
function runCommand([program = "", ...args]: readonly string[], message: string): void {
  const child = spawn(program, [...args, message], { stdio: "ignore", detached: true })
  child.once("error", (fault) => printNotice(`turnhouse: notify: '${program}' cannot be started: ${fault.message}`))
  child.unref()
}
