// Single keys of the terminal. It is in raw mode while they are read, and as before afterwards, however the process ends.
import { emitKeypressEvents, type Key as NodeKey } from "node:readline"
import { DeliberateKeys, type Key, type KeyEvents } from "../../display/deliberate-keys.ts"

export interface TerminalKeyEvents extends KeyEvents {
  /** The end of the input. */
  readonly end: () => void
  /** Before the process is stopped by Ctrl-Z, and after it continues. */
  readonly suspend: () => void
  readonly resume: () => void
}

/** So that a paste is marked as one. */
const PASTE_ON = "\u001b[?2004h"
const PASTE_OFF = "\u001b[?2004l"

/** Returns a function that stops reading. Ctrl-C is the signal SIGINT also in raw mode. */
export function readKeys(events: TerminalKeyEvents): () => void {
  const { stdin } = process
  const keys = new DeliberateKeys(events)
  const onKeypress = (_: unknown, { name, ctrl = false }: NodeKey) => {
    if (ctrl && name === "c") return void process.kill(process.pid, "SIGINT")
    if (ctrl && name === "z") return suspend(events)
    keys.take({ name, ctrl } satisfies Key)
  }
  emitKeypressEvents(stdin)
  stdin.on("keypress", onKeypress).once("end", events.end)
  process.on("SIGCONT", enterRawMode)
  process.on("exit", leaveRawMode)
  enterRawMode()
  stdin.resume()
  return () => {
    keys.stop()
    stdin.off("keypress", onKeypress).off("end", events.end)
    process.off("SIGCONT", enterRawMode)
    process.off("exit", leaveRawMode)
    leaveRawMode()
    stdin.pause()
  }
}

/** A shell may have changed the mode meanwhile, which Node does not notice. */
function enterRawMode(): void {
  process.stdin.setRawMode(false)
  process.stdin.setRawMode(true)
  process.stderr.write(PASTE_ON)
}

function leaveRawMode(): void {
  process.stdin.setRawMode(false)
  process.stderr.write(PASTE_OFF)
}

/** In raw mode Ctrl-Z is a key. The whole foreground group stops, as the terminal would have it. */
function suspend({ suspend: before, resume: after }: TerminalKeyEvents): void {
  before()
  leaveRawMode()
  process.once("SIGCONT", after)
  process.kill(0, "SIGTSTP")
}
