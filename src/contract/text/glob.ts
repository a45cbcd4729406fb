// Matches wildcard patterns against untrusted text in linear time. Kept instead of picomatch, whose regular expressions
// backtrack exponentially: `*a*a*a*a*a*a*b` takes it 12 s on 100 characters.
import { placesIn } from "./places.ts"

/** `*` stands for any text, everything else for itself. Linear in pattern and text together. */
export function fitsGlob(glob: string, text: string): boolean {
  return globGaps(glob, text) !== undefined
}

/** The text that each `*` stands for, shortest first; undefined if the glob does not fit. */
export function globGaps(glob: string, text: string): readonly string[] | undefined {
  const [head = "", ...others] = glob.split("*")
  const tail = others.pop()
  if (tail === undefined) return glob === text ? [] : undefined
  if (text.length < head.length + tail.length || !text.startsWith(head) || !text.endsWith(tail)) return undefined
  const gaps: string[] = []
  let at = head.length
  for (const literal of others) {
    const end = endOf(literal, text, at)
    if (end === -1) return undefined
    gaps.push(text.slice(at, end - literal.length))
    at = end
  }
  const last = text.length - tail.length
  return at <= last ? [...gaps, text.slice(at, last)] : undefined
}

/** Where the first occurrence of a literal at or after `from` ends; -1 if there is none. */
function endOf(literal: string, text: string, from: number): number {
  if (literal === "") return from
  const [place] = placesIn(text, literal, from)
  return place === undefined ? -1 : place + literal.length
}

/** Characters of a path glob. A longer one is refused. */
export const MAX_PATH_GLOB = 1000

/**
 * Globs for paths: * ? [a-z] [!a-z] {a,b} and ** for any number of folders. A glob without a slash matches file names
 * in any folder; one with a slash matches the whole path below the searched folder. Hidden names match like any other.
 * Undefined for an invalid glob, such as a range from z to a.
 */
export function globMatcher(glob: string): ((path: string) => boolean) | undefined {
  const anchored = glob.replace(/^\.?\//, "")
  const byPath = anchored.includes("/")
  const machine = anchored.length > MAX_PATH_GLOB ? undefined : compile(anchored)
  if (machine === undefined) return undefined
  const automaton = new Automaton(machine)
  return (path) => automaton.fits(byPath ? path : path.slice(path.lastIndexOf("/") + 1))
}

type Reads = (code: number) => boolean

/** A state of the machine: it reads a character and moves on, or moves on without reading. */
interface Place {
  reads?: Reads
  next: number[]
}

const slash = 0x2f
const anyCharacter: Reads = () => true
const notSlash: Reads = (code) => code !== slash

/** A nondeterministic automaton: all paths through the glob are followed at once, so there is no backtracking. */
class Machine {
  readonly places: Place[] = [{ next: [] }]
  #end = 0

  get end(): number {
    return this.#end
  }

  add(reads?: Reads): number {
    this.places.push(reads === undefined ? { next: [] } : { reads, next: [] })
    return this.places.length - 1
  }

  link(from: number, to: number): void {
    this.places[from]?.next.push(to)
  }

  /** One character. */
  read(reads: Reads): void {
    const place = this.add(reads)
    this.link(this.#end, place)
    this.moveTo(this.add(), place)
  }

  /** Any number of characters. */
  repeat(reads: Reads): void {
    const [loop, after] = [this.add(reads), this.add()]
    this.link(this.#end, loop)
    this.link(loop, loop)
    this.link(this.#end, after)
    this.moveTo(after, loop)
  }

  /** Any text that ends with a slash, or nothing. */
  folders(): void {
    const [start, after] = [this.#end, this.add()]
    this.repeat(anyCharacter)
    this.read((code) => code === slash)
    this.link(start, after)
    this.moveTo(after, this.#end)
  }

  moveTo(end: number, ...from: readonly number[]): void {
    for (const place of from) this.link(place, end)
    this.#end = end
  }
}

function compile(glob: string): Machine | undefined {
  const machine = new Machine()
  const open: { readonly start: number; readonly after: number }[] = []
  const close = () => {
    const group = open.pop()
    if (group !== undefined) machine.moveTo(group.after, machine.end)
  }
  for (const token of tokensOf(glob)) {
    const group = open.at(-1)
    if (token === "{") open.push({ start: machine.end, after: machine.add() })
    else if (token === "}" && group !== undefined) close()
    else if (token === "," && group !== undefined) {
      machine.link(machine.end, group.after)
      const start = machine.add()
      machine.moveTo(start, group.start)
    } else if (!append(machine, token)) return undefined
  }
  while (open.length > 0) close()
  return machine
}

/** False for an invalid character class. */
function append(machine: Machine, token: string): boolean {
  if (token.startsWith("**/")) machine.folders()
  else if (token === "*") machine.repeat(notSlash)
  else if (token.startsWith("*")) machine.repeat(anyCharacter)
  else if (token === "?") machine.read(notSlash)
  else if (token.startsWith("[") && token.length > 1) return appendClass(machine, token.slice(1, -1))
  else {
    const literal = (token.startsWith("\\") && token.length > 1 ? token.slice(1) : token).codePointAt(0)
    machine.read((code) => code === literal)
  }
  return true
}

function appendClass(machine: Machine, classBody: string): boolean {
  const isNegated = /^[!^]/.test(classBody)
  const codes = Array.from(classBody.slice(isNegated ? 1 : 0), (letter) => letter.codePointAt(0) ?? 0)
  const ranges: (readonly [from: number, to: number])[] = []
  for (let at = 0; at < codes.length; at += 1) {
    const from = codes[at] ?? 0
    const isRange = codes[at + 1] === 0x2d && at + 2 < codes.length
    const to = isRange ? (codes[at + 2] ?? 0) : from
    if (from > to) return false
    ranges.push([from, to])
    if (isRange) at += 2
  }
  const isInside = (code: number) => ranges.some(([from, to]) => from <= code && code <= to)
  machine.read(isNegated ? (code) => code !== slash && !isInside(code) : isInside)
  return true
}

/** `**` with its slash, a run of stars, a class, an escaped character, or one character. */
function* tokensOf(glob: string): Generator<string> {
  const letters = Array.from(glob)
  for (let at = 0; at < letters.length;) {
    const length = tokenLength(letters, at)
    const token = letters.slice(at, at + length).join("")
    yield token
    at += length
  }
}

function tokenLength(letters: readonly string[], at: number): number {
  const letter = letters[at]
  if (letter === "\\") return at + 1 < letters.length ? 2 : 1
  if (letter === "[") return classLength(letters, at)
  if (letter !== "*") return 1
  let folders = 0
  while (letters[at + folders] === "*" && letters[at + folders + 1] === "*" && letters[at + folders + 2] === "/")
    folders += 3
  if (folders > 0) return folders
  let stars = 1
  while (letters[at + stars] === "*") stars += 1
  return stars
}

/** A bracket that is not closed is a literal; `]` right after the opening bracket belongs to the class. */
function classLength(letters: readonly string[], at: number): number {
  const first = letters[at + 1] === "!" || letters[at + 1] === "^" ? at + 2 : at + 1
  for (const from of letters[first] === "]" ? [first + 1, first] : [first]) {
    const end = letters.indexOf("]", from)
    if (end !== -1) return end + 1 - at
  }
  return 1
}

/** A deterministic automaton built on demand: a tool matches one glob against very many paths. */
class Automaton {
  readonly #machine: Machine
  readonly #states = new Map<string, State>()
  #start: State

  constructor(machine: Machine) {
    this.#machine = machine
    this.#start = this.#state([0])
  }

  fits(text: string): boolean {
    if (this.#states.size > MAX_STATES) this.#forget()
    let state = this.#start
    for (const letter of text) {
      if (state.places.length === 0) return false
      const code = letter.codePointAt(0) ?? 0
      const known = state.next.get(code)
      const next = known ?? this.#after(state, code)
      if (known === undefined) state.next.set(code, next)
      state = next
    }
    return state.isEnd
  }

  #after({ places }: State, code: number): State {
    const all = this.#machine.places
    const read = places.filter((at) => all[at]?.reads?.(code) === true)
    return this.#state(read.flatMap((at) => all[at]?.next ?? []))
  }

  #state(from: readonly number[]): State {
    const places = [...reachablePlaces(this.#machine.places, from)].toSorted((one, other) => one - other)
    const key = places.join()
    const state = this.#states.get(key) ?? { places, isEnd: places.includes(this.#machine.end), next: new Map() }
    this.#states.set(key, state)
    return state
  }

  #forget(): void {
    this.#states.clear()
    this.#start = this.#state([0])
  }
}

interface State {
  readonly places: readonly number[]
  readonly isEnd: boolean
  readonly next: Map<number, State>
}

/** States that are kept between two texts. */
const MAX_STATES = 1000

/** All places that are reachable without reading. */
function reachablePlaces(places: readonly Place[], from: readonly number[]): ReadonlySet<number> {
  const found = new Set(from)
  for (const at of found) {
    const { reads, next } = places[at] ?? { next: [] }
    if (reads === undefined) for (const following of next) found.add(following)
  }
  return found
}
