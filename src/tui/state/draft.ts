// The text that is being typed: what keys do to it. Pure. Positions are UTF-16 units, never within a character that people
// see as one. A large paste is one block: a short mark stands for it until the text is sent. Marks of images stay in the text.
import type { Attachment } from "../../contract/values.ts"
import { counted } from "../../display/format.ts"

export interface Draft {
  readonly text: string
  readonly cursor: number
  /** Texts of pasted blocks, by their number. */
  readonly blocks: readonly string[]
  /** Images by their number; one whose mark is deleted is not sent. */
  readonly images: readonly (Attachment | undefined)[]
  /** What was cut last. */
  readonly cut: string
}

export const emptyDraft: Draft = { text: "", cursor: 0, blocks: [], images: [], cut: "" }

/** Characters that a draft may have; more is not typed, and a paste is cut. */
export const MAX_DRAFT = 100_000
/** A longer paste is a block. */
const MAX_INLINE_PASTE = 800
const MAX_INLINE_LINES = 6

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" })
/** The mark of a pasted block, with its number. */
const MARK = /\[pasted (\d{1,6}): [^\]\n]*\]/g
const IMAGE_MARK = /\[image (\d{1,6}): ([^\]\n]*)\]/g
const ANY_MARK = /\[(?:pasted|image) \d{1,6}: [^\]\n]*\]/g
/** Of the name of an image in its mark. */
const MAX_NAME = 60
/** Images of one draft, deleted ones included. */
const MAX_IMAGES = 50

export function draftOf(text: string): Draft {
  return { ...emptyDraft, text: text.slice(0, MAX_DRAFT), cursor: Math.min(text.length, MAX_DRAFT) }
}

export function insert(draft: Draft, text: string): Draft {
  const { text: all, cursor } = draft
  const added = text.slice(0, Math.max(0, MAX_DRAFT - all.length)).toWellFormed()
  return { ...draft, text: all.slice(0, cursor) + added + all.slice(cursor), cursor: cursor + added.length }
}

export function paste(draft: Draft, text: string): Draft {
  const lines = text.split("\n").length
  if (text.length <= MAX_INLINE_PASTE && lines <= MAX_INLINE_LINES) return insert(draft, text)
  const blocks = [...draft.blocks, text]
  const size = lines > 1 ? counted(lines, "line") : counted(text.length, "character")
  return insert({ ...draft, blocks }, `[pasted ${blocks.length}: ${size}]`)
}

/** With an image at the cursor. */
export function insertImage(draft: Draft, image: Attachment): Draft {
  if (draft.images.length >= MAX_IMAGES) return draft
  const images = [...draft.images, image]
  return insert({ ...draft, images }, `[image ${images.length}: ${markName(image)}] `)
}

/** A prompt that returns to the input, with the images that its marks name. */
export function draftOfPrompt(text: string, attachments: readonly Attachment[]): Draft {
  const draft = draftOf(text)
  const images: (Attachment | undefined)[] = []
  for (const [, number, name] of draft.text.matchAll(IMAGE_MARK)) {
    const image = attachments.find((one) => one.mediaType.startsWith("image/") && markName(one) === name)
    if (image !== undefined && Number(number) <= MAX_IMAGES) images[Number(number) - 1] = image
  }
  return { ...draft, images: Array.from(images) }
}

/** Those whose marks are in the text. */
export function imagesOf({ text, images }: Draft): readonly Attachment[] {
  const numbers = new Set(Array.from(text.matchAll(IMAGE_MARK), ([, number]) => Number(number)))
  return images.flatMap((image, at) => (image !== undefined && numbers.has(at + 1) ? [image] : []))
}

/** Without its folder, and without what would end the mark. */
function markName({ name }: Attachment): string {
  return name
    .slice(name.lastIndexOf("/") + 1)
    .replaceAll(/[\]\n]/g, "")
    .slice(0, MAX_NAME)
    .toWellFormed()
}

/** The text with its blocks, as it is sent. */
export function wholeText({ text, blocks }: Draft): string {
  return text.replaceAll(MARK, (mark, number: string) => blocks[Number(number) - 1] ?? mark)
}

export function isBlank({ text }: Draft): boolean {
  return text.trim() === ""
}

export type Motion = "left" | "right" | "word-left" | "word-right" | "line-start" | "line-end"

export function move(draft: Draft, motion: Motion): Draft {
  return { ...draft, cursor: target(draft, motion) }
}

/** Without the text between the cursor and where the motion leads. What more than one key cuts can be inserted again. */
export function remove(draft: Draft, motion: Motion): Draft {
  const { text, cursor } = draft
  const to = target(draft, motion)
  const [from, end] = to < cursor ? [to, cursor] : [cursor, to]
  const cut = motion === "left" || motion === "right" ? draft.cut : text.slice(from, end)
  return { ...draft, text: text.slice(0, from) + text.slice(end), cursor: from, cut }
}

export function insertCut(draft: Draft): Draft {
  return insert(draft, draft.cut)
}

/** With the text before the cursor, from `from`, replaced. */
export function replaceBefore(draft: Draft, from: number, text: string): Draft {
  const { text: all, cursor } = draft
  return insert({ ...draft, text: all.slice(0, from) + all.slice(cursor), cursor: from }, text)
}

function target({ text, cursor }: Draft, motion: Motion): number {
  const before = text.slice(0, cursor)
  switch (motion) {
    case "left":
      return markAround(text, cursor, "before") ?? cursor - lastLength(before)
    case "right":
      return markAround(text, cursor, "after") ?? cursor + firstLength(text.slice(cursor))
    case "word-left":
      return (/\S+\s*$/.exec(before.slice(-MAX_WORD))?.index ?? 0) + Math.max(0, before.length - MAX_WORD)
    case "word-right":
      return cursor + (/^\s*\S+/.exec(text.slice(cursor, cursor + MAX_WORD))?.[0].length ?? text.length - cursor)
    case "line-start":
      return before.lastIndexOf("\n") + 1
    case "line-end": {
      const end = text.indexOf("\n", cursor)
      return end < 0 ? text.length : end
    }
  }
}

/** Characters that a search for a word looks at. */
const MAX_WORD = 500

/** A mark is passed and removed as a whole. */
function markAround(text: string, cursor: number, side: "before" | "after"): number | undefined {
  for (const { 0: mark, index } of text.matchAll(ANY_MARK)) {
    const end = index + mark.length
    if (side === "before" && cursor === end) return index
    if (side === "after" && cursor === index) return end
  }
  return undefined
}

function firstLength(text: string): number {
  const [first] = segmenter.segment(text.slice(0, MAX_WORD))
  return first?.segment.length ?? 0
}

/** Of the last character that people see. */
function lastLength(text: string): number {
  const line = text.slice(-MAX_CHARACTER)
  return Array.from(segmenter.segment(line)).at(-1)?.segment.length ?? 0
}

const MAX_CHARACTER = 64
