// Bytes of a terminal as keys, text, pastes and turns of the mouse wheel: the sequences of xterm, and those of the kitty
// keyboard protocol and modifyOtherKeys where a terminal has them. Pure.

export interface Key {
  /** `a`, `return`, `escape`, `up`, `f2`; letters in lower case. */
  readonly name: string
  readonly ctrl: boolean
  readonly alt: boolean
  readonly shift: boolean
}

export type InputEvent =
  | { readonly kind: "key"; readonly key: Key }
  /** One character, or several that came at once: typed ahead, or by an input method. */
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "paste"; readonly text: string }
  /** Lines up (negative) or down. */
  | { readonly kind: "wheel"; readonly lines: number }
  | { readonly kind: "focus"; readonly hasFocus: boolean }
  /** An answer of the terminal to a query, as it came. */
  | { readonly kind: "reply"; readonly text: string }

/** Characters of a paste that are kept. */
export const MAX_PASTE = 2_000_000
/** An unfinished sequence that is longer is none. */
const MAX_SEQUENCE = 64
/** Of a reply of the terminal to a query. */
const MAX_REPLY = 4096
const WHEEL_LINES = 3

const ESC = "\u001b"
const PASTE_START = `${ESC}[200~`
const PASTE_END = `${ESC}[201~`

export class InputParser {
  #rest = ""
  #paste: string | undefined

  /** An escape may be a key or the beginning of a sequence: `flush` decides. */
  get isWaiting(): boolean {
    return this.#rest !== "" && this.#paste === undefined
  }

  /** What waits can be typed by a person; if not, it is a part of a sequence, and the rest is on its way. */
  get mayBeKey(): boolean {
    return this.#rest.length <= 2
  }

  feed(text: string): readonly InputEvent[] {
    this.#rest += text
    const events: InputEvent[] = []
    while (this.#rest !== "") {
      const taken = this.#paste === undefined ? this.#next(events) : this.#takePaste(events)
      if (!taken) break
    }
    return events
  }

  /** No more input came for a moment: what waits is keys. */
  flush(): readonly InputEvent[] {
    if (!this.isWaiting) return []
    const rest = this.#rest
    const { length, event } = rest.length === 1 ? { length: 1, event: keyEvent("escape") } : readAlt(rest)
    this.#rest = ""
    return [...(event === undefined ? [] : [event]), ...this.feed(rest.slice(length))]
  }

  #takePaste(events: InputEvent[]): boolean {
    const end = this.#rest.indexOf(PASTE_END)
    const keep = end < 0 ? Math.max(0, this.#rest.length - PASTE_END.length) : end
    this.#paste = `${this.#paste ?? ""}${this.#rest.slice(0, keep)}`.slice(0, MAX_PASTE)
    this.#rest = this.#rest.slice(end < 0 ? keep : end + PASTE_END.length)
    if (end < 0) return false
    events.push({ kind: "paste", text: this.#paste.replaceAll(/\r\n?/g, "\n").toWellFormed() })
    this.#paste = undefined
    return true
  }

  /** False if more input is needed. */
  #next(events: InputEvent[]): boolean {
    if (this.#rest.startsWith(PASTE_START)) {
      this.#rest = this.#rest.slice(PASTE_START.length)
      this.#paste = ""
      return true
    }
    const read = this.#rest.startsWith(ESC) ? readEscape(this.#rest) : readPlain(this.#rest)
    if (read === undefined) return false
    this.#rest = this.#rest.slice(read.length)
    if (read.event !== undefined) events.push(read.event)
    return true
  }
}

interface Read {
  readonly length: number
  /** Absent for what means nothing here. */
  readonly event?: InputEvent | undefined
}

// oxlint-disable-next-line no-control-regex -- control characters are keys
const TEXT = /^[^\u0000-\u001f\u007f-\u009f]+/

function readPlain(input: string): Read {
  const [text] = TEXT.exec(input) ?? []
  if (text !== undefined) return { length: text.length, event: { kind: "text", text: text.toWellFormed() } }
  return { length: 1, event: controlKey(input.charCodeAt(0)) }
}

function controlKey(code: number): InputEvent | undefined {
  if (code === 13) return keyEvent("return")
  if (code === 9) return keyEvent("tab")
  if (code === 127 || code === 8) return keyEvent("backspace")
  if (code === 0) return keyEvent("space", { ctrl: true })
  if (code >= 1 && code <= 26) return keyEvent(String.fromCharCode(code + 96), { ctrl: true })
  return code === 31 ? keyEvent("_", { ctrl: true }) : undefined
}

// oxlint-disable no-control-regex -- sequences begin with ESC
const CSI = /^\u001b\[([0-?]*)[ -/]*([@-~])/
const UNFINISHED_CSI = /^\u001b\[[0-?]*[ -/]*$/
const SS3 = /^\u001bO([@-~])/
const STRING_REPLY = /^\u001b[\]P_^X][^\u0007\u001b]*(?:\u0007|\u001b\\)/
const UNFINISHED_REPLY = /^\u001b[\]P_^X][^\u0007\u001b]*\u001b?$/
// oxlint-enable no-control-regex

function readEscape(input: string): Read | undefined {
  const csi = CSI.exec(input)
  if (csi !== null) return { length: csi[0].length, event: csiEvent(csi[1] ?? "", csi[2] ?? "", csi[0]) }
  const ss3 = SS3.exec(input)
  if (ss3 !== null) return { length: ss3[0].length, event: finalKey(ss3[1] ?? "", "") }
  const reply = STRING_REPLY.exec(input)
  if (reply !== null) return { length: reply[0].length, event: { kind: "reply", text: reply[0] } }
  const isUnfinished =
    input === ESC ||
    input === `${ESC}O` ||
    (UNFINISHED_CSI.test(input) && input.length < MAX_SEQUENCE) ||
    (UNFINISHED_REPLY.test(input) && input.length < MAX_REPLY)
  if (isUnfinished) return undefined
  return readAlt(input)
}

/** Escape and a character: with Alt, or two keys if the second is an escape too. */
function readAlt(input: string): Read {
  const next = String.fromCodePoint(input.codePointAt(1) ?? 0)
  if (next === ESC || next === "[") return { length: 1, event: keyEvent("escape") }
  const control = TEXT.test(next) ? undefined : controlKey(next.charCodeAt(0))
  if (control?.kind === "key") return { length: 2, event: { kind: "key", key: { ...control.key, alt: true } } }
  const lower = next.toLowerCase()
  return { length: 1 + next.length, event: keyEvent(lower, { alt: true, shift: lower !== next }) }
}

function csiEvent(parameters: string, final: string, text: string): InputEvent | undefined {
  if (final === "c" || final === "t") return { kind: "reply", text }
  if (parameters.startsWith("<")) return mouseEvent(parameters.slice(1), final)
  if (final === "I" || final === "O") return { kind: "focus", hasFocus: final === "I" }
  if (final === "u") return kittyKey(parameters)
  if (final === "~") return tildeKey(parameters)
  return finalKey(final, parameters)
}

function mouseEvent(parameters: string, final: string): InputEvent | undefined {
  const button = Number(parameters.split(";")[0])
  if (final !== "M" || (button & 64) === 0 || (button & 2) !== 0) return undefined
  return { kind: "wheel", lines: (button & 1) === 0 ? -WHEEL_LINES : WHEEL_LINES }
}

const finals: Readonly<Record<string, string>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  E: "home",
  F: "end",
  H: "home",
  M: "return",
  P: "f1",
  Q: "f2",
  R: "f3",
  S: "f4",
}

function finalKey(final: string, parameters: string): InputEvent | undefined {
  if (final === "Z") return keyEvent("tab", { shift: true })
  const name = finals[final]
  return name === undefined ? undefined : keyEvent(name, modifiers(parameters.split(";")[1]))
}

const tildes: Readonly<Record<string, string>> = {
  1: "home",
  2: "insert",
  3: "delete",
  4: "end",
  5: "pageup",
  6: "pagedown",
  7: "home",
  8: "end",
  11: "f1",
  12: "f2",
  13: "f3",
  14: "f4",
}

function tildeKey(parameters: string): InputEvent | undefined {
  const [number = "", modifier, code] = parameters.split(";")
  if (number === "27" && code !== undefined) return codeKey(Number(code), modifiers(modifier))
  const name = tildes[number]
  return name === undefined ? undefined : keyEvent(name, modifiers(modifier))
}

const RELEASE = "3"

function kittyKey(parameters: string): InputEvent | undefined {
  const [code = "", modifier = ""] = parameters.split(";")
  if (modifier.split(":")[1] === RELEASE) return undefined
  return codeKey(Number(code.split(":")[0]), modifiers(modifier))
}

const codes: Readonly<Record<number, string>> = {
  9: "tab",
  13: "return",
  27: "escape",
  127: "backspace",
  57414: "return",
}
const KEYPAD_0 = 57_399
const KEYPAD_9 = 57_408
/** Codes above are keys without a character. */
const FIRST_PRIVATE = 57_344

function codeKey(code: number, held: Modifiers): InputEvent | undefined {
  const name = codes[code]
  if (name !== undefined) return keyEvent(name, held)
  if (code >= KEYPAD_0 && code <= KEYPAD_9) return { kind: "text", text: String(code - KEYPAD_0) }
  if (!(code >= 32 && code < FIRST_PRIVATE)) return undefined
  const character = String.fromCodePoint(code)
  if (!held.ctrl && !held.alt)
    return { kind: "text", text: (held.shift ? character.toUpperCase() : character).toWellFormed() }
  return keyEvent(code === 32 ? "space" : character.toLowerCase(), held)
}

type Modifiers = Pick<Key, "ctrl" | "alt" | "shift">

function modifiers(parameter = "1"): Modifiers {
  const bits = Math.max(0, Number.parseInt(parameter, 10) - 1) || 0
  return { shift: (bits & 1) !== 0, alt: (bits & 2) !== 0, ctrl: (bits & 4) !== 0 }
}

function keyEvent(name: string, held: Partial<Modifiers> = {}): InputEvent {
  return { kind: "key", key: { name, ctrl: false, alt: false, shift: false, ...held } }
}

/** As in the keymap: `ctrl-o`, `alt-return`, `up`. */
export function keyName({ name, ctrl, alt, shift }: Key): string {
  return `${ctrl ? "ctrl-" : ""}${alt ? "alt-" : ""}${shift ? "shift-" : ""}${name}`
}
