// The terminal of this process as a full screen: raw input, the alternate screen, and everything as it was when it is
// closed, however the process ends.
import { StringDecoder } from "node:string_decoder"
import { InputParser, type InputEvent } from "./parse-input.ts"
import type { Size } from "./renderer.ts"

export interface TerminalEvents {
  readonly input: (event: InputEvent) => void
  readonly resize: () => void
  /** The terminal is closed, or its input has ended. */
  readonly end: () => void
  /** The process continues after Ctrl-Z, or another program has used the terminal. */
  readonly resume: () => void
}

/** Milliseconds after which an escape is the key and not the beginning of a sequence. */
const ESCAPE_MS = 30
/** For the rest of a sequence that nobody types, on a slow line. */
const SEQUENCE_MS = 500

/** Alternate screen, no line wrap, bracketed paste, wheel of the mouse, kitty keyboard (level 1), no alternate scroll,
 *  reports of the focus. */
const ENTER = "\u001b[?1049h\u001b[?7l\u001b[?2004h\u001b[?1000h\u001b[?1006h\u001b[>1u\u001b[?1007l\u001b[?1004h"
const LEAVE =
  "\u001b[?2026l\u001b[?1004l\u001b[0m\u001b[<u\u001b[?1006l\u001b[?1000l\u001b[?2004l\u001b[?7h\u001b[?1007h\u001b[?25h\u001b[?1049l"

export class Terminal {
  readonly #events: TerminalEvents
  readonly #parser = new InputParser()
  readonly #decoder = new StringDecoder("utf8")
  #timer: NodeJS.Timeout | undefined
  #isOpen = false

  constructor(events: TerminalEvents) {
    this.#events = events
  }

  get size(): Size {
    const { columns, rows } = process.stdout
    return { columns: columns > 0 ? columns : 80, rows: rows > 0 ? rows : 24 } // 0 where the terminal does not say
  }

  open(): void {
    this.#enter()
    process.stdin.on("data", this.#onData)
    process.stdin.once("end", this.#events.end)
    process.stdout.on("resize", this.#events.resize)
    process.on("SIGCONT", this.#onContinue)
    process.prependListener("exit", this.#leave) // what others print on exit belongs below the screen
    process.stdin.resume()
  }

  close(): void {
    clearTimeout(this.#timer)
    process.stdin.off("data", this.#onData).off("end", this.#events.end)
    process.stdout.off("resize", this.#events.resize)
    process.off("SIGCONT", this.#onContinue)
    process.off("exit", this.#leave)
    this.#leave()
    process.stdin.pause()
  }

  write(text: string): void {
    if (this.#isOpen) process.stdout.write(text)
  }

  /** In raw mode Ctrl-Z is a key. The whole foreground group stops, as the terminal would have it. */
  suspend(): void {
    this.#leave()
    process.kill(0, "SIGTSTP")
  }

  /** While another program uses the terminal. */
  async lend<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#leave()
    process.stdin.pause()
    process.stdin.off("data", this.#onData)
    try {
      return await work()
    } finally {
      process.stdin.on("data", this.#onData)
      this.#onContinue()
    }
  }

  readonly #onData = (data: Buffer) => {
    clearTimeout(this.#timer)
    this.#emit(this.#parser.feed(this.#decoder.write(data)))
    if (!this.#parser.isWaiting) return
    const ms = this.#parser.mayBeKey ? ESCAPE_MS : SEQUENCE_MS
    this.#timer = setTimeout(() => this.#emit(this.#parser.flush()), ms)
  }

  #emit(events: readonly InputEvent[]): void {
    for (const event of events) this.#events.input(event)
  }

  /** A shell may have changed the mode meanwhile. */
  readonly #onContinue = () => {
    this.#enter()
    process.stdin.resume()
    this.#events.resume()
  }

  #enter(): void {
    process.stdin.setRawMode(false)
    process.stdin.setRawMode(true)
    this.#isOpen = true
    process.stdout.write(ENTER)
  }

  readonly #leave = () => {
    if (!this.#isOpen) return
    this.#isOpen = false
    process.stdout.write(LEAVE)
    process.stdin.setRawMode(false)
  }
}
