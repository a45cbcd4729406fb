// A terminal emulator without a window: what a user would see after a program wrote to its terminal, and what the program
// did to the terminal besides.
import xterm, { type IBufferCell, type Terminal } from "@xterm/headless"

export interface EmulatorSize {
  readonly columns: number
  readonly rows: number
}

/** One cell as it is drawn. A wide character has a second cell without text. */
export interface Cell {
  readonly text: string
  readonly width: number
  /** Numbers of the palette, `#rrggbb`, or the default of the terminal. */
  readonly foreground: number | string | undefined
  readonly background: number | string | undefined
  readonly isBold: boolean
  readonly isDim: boolean
  readonly isItalic: boolean
  readonly isUnderlined: boolean
  readonly isInverse: boolean
  readonly isStruck: boolean
}

export class Emulator {
  /** Titles that were set, and OSC 52 (clipboard) sequences: both must stay empty for text from outside. */
  readonly titles: string[] = []
  readonly clipboard: string[] = []
  bells = 0
  /** Frames that ended, and how many of them erased the screen first. */
  frames = 0
  fullFrames = 0
  /** Between the beginning and the end of a frame, which a user does not see. */
  isDrawing = false
  readonly #terminal: Terminal
  #isErased = false
  #showsCursor = true

  constructor({ columns, rows }: EmulatorSize) {
    this.#terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 2000 })
    const { parser } = this.#terminal
    this.#terminal.onTitleChange((title) => this.titles.push(title))
    this.#terminal.onBell(() => (this.bells += 1))
    parser.registerOscHandler(52, (text) => this.clipboard.push(text) > 0)
    parser.registerCsiHandler({ final: "J" }, ([kind]) => this.#erase(kind))
    parser.registerCsiHandler({ prefix: "?", final: "l" }, (modes) => this.#mode(modes, false))
    parser.registerCsiHandler({ prefix: "?", final: "h" }, (modes) => this.#mode(modes, true))
  }

  get size(): EmulatorSize {
    return { columns: this.#terminal.cols, rows: this.#terminal.rows }
  }

  /** Answers to the queries of a program, as input. */
  onReply(listen: (text: string) => void): void {
    this.#terminal.onData(listen)
  }

  /** Calls back when the text is on the screen. */
  write(text: string, shown: () => void): void {
    this.#terminal.write(text, shown)
  }

  show(text: string): Promise<void> {
    return new Promise((resolve) => this.write(text, resolve))
  }

  resize({ columns, rows }: EmulatorSize): void {
    this.#terminal.resize(columns, rows)
  }

  get isAlternate(): boolean {
    return this.#terminal.buffer.active.type === "alternate"
  }

  get cursor(): { readonly row: number; readonly column: number } | undefined {
    const { cursorX: column, cursorY: row } = this.#terminal.buffer.active
    return this.#showsCursor ? { row, column } : undefined
  }

  /** The visible lines, without blanks at their ends. */
  get lines(): readonly string[] {
    return this.#rows().map((row) => this.#terminal.buffer.active.getLine(row)?.translateToString(true) ?? "")
  }

  get text(): string {
    return this.lines.join("\n")
  }

  /** What was written before, too: without the alternate screen it scrolls away. */
  get allText(): string {
    const { active } = this.#terminal.buffer
    const lines = Array.from({ length: active.length }, (_, row) => active.getLine(row)?.translateToString(true) ?? "")
    return lines.join("\n")
  }

  get cells(): readonly (readonly Cell[])[] {
    const { active } = this.#terminal.buffer
    const columns = Array.from({ length: this.#terminal.cols }, (_, column) => column)
    return this.#rows().map((row) =>
      columns.flatMap((column) => {
        const cell = active.getLine(row)?.getCell(column)
        return cell === undefined ? [] : [cellOf(cell)]
      }),
    )
  }

  #rows(): readonly number[] {
    const { viewportY } = this.#terminal.buffer.active
    return Array.from({ length: this.#terminal.rows }, (_, row) => viewportY + row)
  }

  #erase(kind: number | number[] | undefined): boolean {
    if (kind === 2) this.#isErased = true
    return false // the emulator erases
  }

  #mode(modes: readonly (number | number[])[], isSet: boolean): boolean {
    if (modes.includes(25)) this.#showsCursor = isSet
    if (modes.includes(2026)) this.isDrawing = isSet
    if (!modes.includes(2026) || isSet) return false
    this.frames += 1
    if (this.#isErased) this.fullFrames += 1
    this.#isErased = false
    return false
  }
}

function cellOf(cell: IBufferCell): Cell {
  return {
    text: cell.getChars(),
    width: cell.getWidth(),
    foreground: colour(cell.isFgDefault(), cell.isFgRGB(), cell.getFgColor()),
    background: colour(cell.isBgDefault(), cell.isBgRGB(), cell.getBgColor()),
    isBold: cell.isBold() !== 0,
    isDim: cell.isDim() !== 0,
    isItalic: cell.isItalic() !== 0,
    isUnderlined: cell.isUnderline() !== 0,
    isInverse: cell.isInverse() !== 0,
    isStruck: cell.isStrikethrough() !== 0,
  }
}

function colour(isDefault: boolean, isRgb: boolean, value: number): number | string | undefined {
  if (isDefault) return undefined
  return isRgb ? `#${value.toString(16).padStart(6, "0")}` : value
}
