// The images that the window shows: loads those that are visible, one after the other, and keeps them as the sequences that
// draw them. What is kept is bounded; what is dropped is loaded again when it is seen again.
import type { ImagePart } from "../../display/spans.ts"
import type { ScreenImages } from "../place.ts"
import type { ImagePainter } from "../terminal/renderer.ts"
import type { PixelSize } from "./image-size.ts"
import type { ImageTerminal } from "./image-terminal.ts"
import { itermImage } from "./iterm.ts"
import { kittyDelete, kittyRow, kittyUpload, passedThrough } from "./kitty.ts"
import { sixelImage } from "./sixel.ts"

/** What the view knows of images. */
export interface ImageBook {
  readonly cell: PixelSize
  /** By key; a note is all that can be shown of others. */
  readonly sizes: ReadonlyMap<string, PixelSize | "note">
}

export interface ImageSource {
  /** base64; undefined if there is none any more. */
  readonly load: (key: string) => Promise<string | undefined>
  readonly changed: (book: ImageBook) => void
}

/** Characters of all sequences that are kept. */
const MAX_KEPT = 8_000_000
/** Sizes that are kept. */
const MAX_SIZES = 1000
/** Numbers are shared by all programs in a window. */
const MAX_NUMBER = 0xff_ff_ff

interface Drawn {
  readonly number: number
  /** To be sent once (kitty), or to be written where the image is. */
  readonly sequence: string
}

export class ImageStore implements ImagePainter {
  readonly #images: ScreenImages
  readonly #source: ImageSource
  #terminal: ImageTerminal | undefined
  #sizes = new Map<string, PixelSize | "note">()
  readonly #drawn = new Map<string, Drawn>()
  readonly #uploaded = new Set<number>()
  #deleted: number[] = []
  #visible: readonly ImagePart[] = []
  /** The file that was loaded last: its size is wanted first, then the image itself. */
  #file: { readonly key: string; readonly bytes: Buffer } | undefined
  #isLoading = false
  #number = Math.floor(Math.random() * MAX_NUMBER)

  constructor(images: ScreenImages, source: ImageSource) {
    this.#images = images
    this.#source = source
  }

  set terminal(terminal: ImageTerminal | undefined) {
    const [one, other] = [terminal, this.#terminal]
    const isSame = one?.protocol === other?.protocol && one?.cell.width === other?.cell.width
    if (terminal === undefined || (isSame && one?.cell.height === other?.cell.height)) return
    this.#terminal = terminal
    this.#drawn.clear()
    this.#deleted.push(...this.#uploaded)
    this.#uploaded.clear()
    this.#sizes = new Map()
    this.#publish()
  }

  /** After each frame: the parts of images that are in it. */
  want(parts: readonly ImagePart[]): void {
    this.#visible = parts
    if (!this.#isLoading && this.#missing() !== undefined) void this.#work()
  }

  readonly row = (part: ImagePart, columns: number): string | undefined => {
    const drawn = this.#terminal?.protocol === "kitty" ? this.#drawn.get(nameOf(part)) : undefined
    return drawn === undefined ? undefined : kittyRow(drawn.number, part.row, columns)
  }

  readonly whole = (part: ImagePart): string | undefined =>
    this.#terminal?.protocol === "kitty" ? undefined : this.#drawn.get(nameOf(part))?.sequence

  readonly before = (): string => {
    if (this.#terminal?.protocol !== "kitty") return ""
    const uploads = this.#visible.flatMap((part) => {
      const drawn = this.#drawn.get(nameOf(part))
      if (drawn === undefined || this.#uploaded.has(drawn.number)) return []
      this.#uploaded.add(drawn.number)
      return [drawn.sequence]
    })
    const deletions = this.#deletions(this.#deleted)
    this.#deleted = []
    return `${deletions}${uploads.join("")}`
  }

  readonly reset = (): void => this.#uploaded.clear()

  readonly end = (): string => this.#deletions([...this.#uploaded])

  #deletions(numbers: readonly number[]): string {
    return numbers.map((number) => this.#written(kittyDelete(number))).join("")
  }

  #written(sequence: string): string {
    return this.#terminal?.isPassedThrough === true ? passedThrough(sequence) : sequence
  }

  #missing(): ImagePart | undefined {
    return this.#visible.find((part) => {
      const size = this.#sizes.get(part.key)
      return size === undefined || (size !== "note" && part.rows > 0 && !this.#drawn.has(nameOf(part)))
    })
  }

  async #work(): Promise<void> {
    this.#isLoading = true
    for (let part = this.#missing(); part !== undefined; part = this.#missing()) await this.#prepare(part)
    this.#isLoading = false
    this.#file = undefined
  }

  async #prepare(part: ImagePart): Promise<void> {
    const terminal = this.#terminal
    const bytes = terminal === undefined ? undefined : await this.#bytes(part.key)
    if (terminal === undefined || bytes === undefined) return this.#setSize(part.key, "note")
    if (!this.#sizes.has(part.key))
      return this.#setSize(part.key, this.#images.sizeOf(bytes, terminal.protocol) ?? "note")
    const sequence = await this.#sequence(bytes, part, terminal).catch(() => undefined) // a damaged file is a note
    if (sequence === undefined) return this.#setSize(part.key, "note")
    this.#keep(nameOf(part), { number: this.#number, sequence })
    this.#publish()
  }

  async #bytes(key: string): Promise<Buffer | undefined> {
    if (this.#file?.key === key) return this.#file.bytes
    const base64 = await this.#source.load(key).catch(() => undefined) // without a connection it is a note
    if (base64 === undefined) return undefined
    this.#file = { key, bytes: Buffer.from(base64, "base64") }
    return this.#file.bytes
  }

  async #sequence(
    file: Buffer,
    { columns, rows }: ImagePart,
    { protocol, cell }: ImageTerminal,
  ): Promise<string | undefined> {
    const most = { width: columns * cell.width, height: rows * cell.height }
    if (protocol === "sixel") {
      const pixels = await this.#images.pixels(file, most)
      return pixels === undefined ? undefined : sixelImage(pixels)
    }
    const sent = await this.#images.file(file, most, protocol === "kitty" ? "png" : "any")
    if (sent === undefined) return undefined
    if (protocol === "iterm") return itermImage(sent.toString("base64"), { columns, rows })
    this.#number = (this.#number % MAX_NUMBER) + 1
    const upload = kittyUpload(this.#number, sent.toString("base64"), { columns, rows })
    return upload.map((one) => this.#written(one)).join("")
  }

  /** The oldest that are not in the window go first. */
  #keep(name: string, drawn: Drawn): void {
    this.#drawn.set(name, drawn)
    const visible = new Set(this.#visible.map(nameOf))
    let total = [...this.#drawn.values()].reduce((sum, { sequence }) => sum + sequence.length, 0)
    for (const [other, { number, sequence }] of this.#drawn) {
      if (total <= MAX_KEPT) return
      if (visible.has(other)) continue
      total -= sequence.length
      this.#drawn.delete(other)
      if (this.#uploaded.delete(number)) this.#deleted.push(number)
    }
  }

  #setSize(key: string, size: PixelSize | "note"): void {
    const [oldest] = this.#sizes.keys()
    if (this.#sizes.size >= MAX_SIZES && oldest !== undefined) this.#sizes.delete(oldest)
    this.#sizes.set(key, size)
    this.#publish()
  }

  #publish(): void {
    const cell = this.#terminal?.cell
    if (cell !== undefined) this.#source.changed({ cell, sizes: new Map(this.#sizes) })
  }
}

function nameOf({ key, columns, rows }: ImagePart): string {
  return `${key} ${columns}x${rows}`
}
