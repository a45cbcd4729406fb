// Whether the terminal can draw images, and how: from its environment and from its answers to queries. Nothing waits for an
// answer: until it comes, and where none does, an image is a note. Pure.
import type { PixelSize } from "./image-size.ts"

export type ImageProtocol = "kitty" | "iterm" | "sixel"

export interface ImageTerminal {
  readonly protocol: ImageProtocol
  /** Pixels of one character. */
  readonly cell: PixelSize
  /** Inside tmux, which passes sequences on that it does not know. */
  readonly isPassedThrough: boolean
}

/** What the environment says. */
export interface TerminalHints {
  readonly term: string
  /** Names that terminals give themselves: TERM_PROGRAM, LC_TERMINAL. */
  readonly programs: readonly string[]
  readonly hasKittyWindow: boolean
  /** A program between this one and the terminal. */
  readonly inside: "tmux" | "screen" | undefined
}

/** What tmux says about the terminal outside. */
export interface OuterTerminal {
  readonly term: string
  readonly allowsPassthrough: boolean
}

const ESC = "\u001b"
const QUERY_ID = 31
const ASK_KITTY = `${ESC}_Gi=${QUERY_ID},s=1,v=1,a=q,t=d,f=24;AAAA${ESC}\\`
const ASK_NAME = `${ESC}[>0q`
const ASK_CELL = `${ESC}[16t`
const ASK_ATTRIBUTES = `${ESC}[c`

/** Terminals that print a query instead of answering it. */
const ASKED_NOTHING = /^(?:linux|dumb|cons25|vt\d+)/
const PRINTS_QUERIES = "apple_terminal"

/** Where a terminal does not say: only the ratio matters. */
const USUAL_CELL: PixelSize = { width: 10, height: 20 }
/** Larger ones are mistakes. */
const MAX_CELL = 200
const SIXEL = "4"

export class ImageDetection {
  readonly #hints: TerminalHints
  #name = ""
  #cell: PixelSize | undefined
  #hasKitty = false
  #hasSixel = false
  #outer: OuterTerminal | undefined

  constructor(hints: TerminalHints) {
    this.#hints = hints
  }

  /** To be written once the terminal is open. */
  get queries(): string {
    const { term, programs, inside } = this.#hints
    const isSilent = ASKED_NOTHING.test(term) || programs.some((name) => name.toLowerCase() === PRINTS_QUERIES)
    if (isSilent || inside === "screen") return ""
    return inside === "tmux" ? `${ASK_CELL}${ASK_ATTRIBUTES}` : `${ASK_KITTY}${ASK_NAME}${ASK_CELL}${ASK_ATTRIBUTES}`
  }

  /** To be written when the window has changed: characters may have another size. Empty where no image is drawn. */
  get cellQuery(): string {
    return this.terminal === undefined || this.queries === "" ? "" : ASK_CELL
  }

  /** A sequence that is no key. */
  reply(text: string): void {
    const cell = /^\[6;(\d{1,4});(\d{1,4})t$/.exec(text.slice(1))
    if (cell !== null) this.#cell = cellOf(Number(cell[2]), Number(cell[1]))
    const attributes = /^\[\?([\d;]{1,100})c$/.exec(text.slice(1))?.[1]
    if (attributes?.split(";").slice(1).includes(SIXEL) === true) this.#hasSixel = true
    if (text.startsWith(`${ESC}_Gi=${QUERY_ID};OK`)) this.#hasKitty = true
    const name = /^P>\|([ -~]{1,100})/.exec(text.slice(1))?.[1]
    if (name !== undefined) this.#name = name
  }

  set outer(outer: OuterTerminal) {
    this.#outer = outer
  }

  /** Undefined as long as nothing says that images can be drawn. */
  get terminal(): ImageTerminal | undefined {
    const cell = this.#cell ?? USUAL_CELL
    const { inside } = this.#hints
    if (inside === "tmux" && this.#outer?.allowsPassthrough === true && drawsInText(this.#outer.term))
      return { protocol: "kitty", cell, isPassedThrough: true }
    const own = (protocol: ImageProtocol): ImageTerminal => ({ protocol, cell, isPassedThrough: false })
    if (inside === undefined && this.#hasKitty && this.#isNamed(drawsInText, this.#hints.hasKittyWindow))
      return own("kitty")
    if (inside === undefined && this.#isNamed(drawsInline, false)) return own("iterm")
    return this.#hasSixel && this.#cell !== undefined ? own("sixel") : undefined
  }

  #isNamed(test: (name: string) => boolean, isKnown: boolean): boolean {
    const { term, programs } = this.#hints
    return this.#name === "" ? isKnown || [term, ...programs].some(test) : test(this.#name)
  }
}

/** Terminals that draw an image in place of certain characters, which move and vanish like text. */
function drawsInText(name: string): boolean {
  return /^(?:xterm-)?(?:kitty|ghostty)/i.test(name)
}

function drawsInline(name: string): boolean {
  return /^(?:iterm|wezterm)/i.test(name)
}

function cellOf(width: number, height: number): PixelSize | undefined {
  const isUsual = width > 0 && height > 0 && width <= MAX_CELL && height <= MAX_CELL
  return isUsual ? { width, height } : undefined
}
