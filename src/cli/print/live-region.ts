// The lines at the bottom of a terminal that change: text that is being written, running calls, a question. They are
// removed before anything else is printed, and drawn again below it.
import { stripVTControlCharacters } from "node:util"
import { columnsOf, cutToWidth } from "../../display/spans.ts"

type Screen = Pick<NodeJS.WriteStream, "write" | "columns" | "rows">

/** Prints that are held while a line is typed; further ones appear at once. */
const MAX_HELD = 1000

/** From top to bottom: a question is never scrolled away by what runs. */
const slots = ["text", "calls", "question"] as const
export type Slot = (typeof slots)[number]

export class LiveRegion {
  readonly #screen: Screen
  readonly #lines = new Map<Slot, readonly string[]>()
  #drawn: readonly string[] = []
  #isPaused = false
  /** Set while a line is typed: what is printed meanwhile. */
  #held: (() => void)[] | undefined

  /** Only for a terminal that can move its cursor. */
  constructor(screen: Screen = process.stderr) {
    this.#screen = screen
  }

  set(slot: Slot, lines: readonly string[]): void {
    const before = this.#lines.get(slot) ?? []
    if (before.length === lines.length && before.every((line, at) => line === lines[at])) return
    this.#lines.set(slot, lines)
    this.#draw()
  }

  /** Prints whole lines above the region. */
  above(print: () => void): void {
    if (this.#held !== undefined && this.#held.length < MAX_HELD) return void this.#held.push(print)
    this.#erase()
    print()
    this.#draw()
  }

  /** While another program, or a line that is being typed, uses the terminal. */
  pause(): void {
    this.#erase()
    this.#isPaused = true
  }

  /** Like `pause`; what is printed meanwhile appears when the region is drawn again. */
  hold(): void {
    this.pause()
    this.#held ??= []
  }

  resume(): void {
    const held = this.#held ?? []
    this.#held = undefined
    for (const print of held) print()
    this.#isPaused = false
    this.#draw()
  }

  clear(): void {
    this.#lines.clear()
    this.#erase()
  }

  #draw(): void {
    if (this.#isPaused) return
    const [columns, rows] = [this.#screen.columns || 80, this.#screen.rows || 24] // 0 where the terminal does not say
    const all = slots.flatMap((slot) => this.#lines.get(slot) ?? [])
    const lines = all.slice(-Math.max(1, rows - 1)).map((line) => fitted(line, columns - 1))
    const erasure = this.#erasure()
    this.#drawn = lines
    if (erasure !== "" || lines.length > 0) this.#screen.write(erasure + lines.map((line) => `${line}\n`).join(""))
  }

  #erase(): void {
    const erasure = this.#erasure()
    this.#drawn = []
    if (erasure !== "") this.#screen.write(erasure)
  }

  /** Lines may take more rows than when they were drawn: the window may be narrower now. */
  #erasure(): string {
    const columns = this.#screen.columns || 80
    const rows = this.#drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(columnsOf(line) / columns)), 0)
    return rows === 0 ? "" : `\r\u001b[${rows}A\u001b[J`
  }
}

/** A line that wraps could not be removed. */
function fitted(line: string, width: number): string {
  return columnsOf(line) <= width ? line : cutToWidth(stripVTControlCharacters(line), width)
}
