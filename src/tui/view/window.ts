// The part of a long list of blocks that fits a window. Only blocks in the window are asked for their lines, so that its
// cost does not depend on the length of the list. Pure.
import type { Line } from "../../display/spans.ts"

/** Lines in blocks, oldest first. A block has at least one line. */
export interface Blocks {
  readonly count: number
  readonly key: (at: number) => string
  readonly lines: (at: number) => readonly Line[]
}

/** The first line of the window: it stays where it is while lines are added below. */
export interface Anchor {
  readonly key: string
  readonly line: number
}

interface Place {
  readonly at: number
  readonly line: number
}

/** Never more than `height` lines. Without an anchor, the newest. */
export function windowLines(blocks: Blocks, height: number, anchor: Anchor | undefined): readonly Line[] {
  return linesFrom(blocks, topOf(blocks, height, anchor), height)
}

/** The anchor after scrolling by lines: negative is up. Undefined at the newest line. */
export function scrolled(blocks: Blocks, height: number, anchor: Anchor | undefined, by: number): Anchor | undefined {
  const top = topOf(blocks, height, anchor)
  const moved = by < 0 ? movedUp(blocks, top, -by) : movedDown(blocks, top, by)
  const last = bottomTop(blocks, height)
  return comparePlaces(moved, last) >= 0 ? undefined : { key: blocks.key(moved.at), line: moved.line }
}

/** Whether the window begins with the first line of all. */
export function isAtStart(blocks: Blocks, height: number, anchor: Anchor | undefined): boolean {
  const { at, line } = topOf(blocks, height, anchor)
  return at === 0 && line === 0
}

/** Whether the beginning of a block is in the window. */
export function isInWindow(blocks: Blocks, height: number, anchor: Anchor | undefined, key: string): boolean {
  const { at, line } = topOf(blocks, height, anchor)
  for (let index = at, used = -line; index < blocks.count && used < height; index += 1) {
    if (blocks.key(index) === key) return used >= 0
    used += blocks.lines(index).length
  }
  return false
}

function topOf(blocks: Blocks, height: number, anchor: Anchor | undefined): Place {
  const last = bottomTop(blocks, height)
  const anchored = anchor === undefined ? undefined : placeOf(blocks, anchor)
  return anchored === undefined || comparePlaces(anchored, last) > 0 ? last : anchored
}

/** A block may have fewer lines than before: it was folded, or the window is wider. */
function placeOf(blocks: Blocks, { key, line }: Anchor): Place | undefined {
  for (let at = blocks.count - 1; at >= 0; at -= 1)
    if (blocks.key(at) === key) return { at, line: Math.min(line, blocks.lines(at).length - 1) }
  return undefined
}

/** The top of the window that shows the newest lines. */
function bottomTop(blocks: Blocks, height: number): Place {
  return movedUp(blocks, { at: blocks.count, line: 0 }, height)
}

function movedUp(blocks: Blocks, from: Place, by: number): Place {
  let { at, line } = from
  for (let left = by; left > 0;) {
    if (line >= left) return { at, line: line - left }
    left -= line
    if (at === 0) return { at: 0, line: 0 }
    at -= 1
    line = blocks.lines(at).length
  }
  return { at, line }
}

function movedDown(blocks: Blocks, from: Place, by: number): Place {
  let { at, line } = from
  for (let left = by; at < blocks.count;) {
    const rest = blocks.lines(at).length - line
    if (rest > left) return { at, line: line + left }
    left -= rest
    at += 1
    line = 0
  }
  return { at, line }
}

function linesFrom(blocks: Blocks, { at, line }: Place, height: number): readonly Line[] {
  const lines: Line[] = []
  for (let index = at; index < blocks.count && lines.length < height; index += 1) {
    const block = blocks.lines(index)
    lines.push(...block.slice(index === at ? line : 0, (index === at ? line : 0) + height - lines.length))
  }
  return lines
}

function comparePlaces(one: Place, other: Place): number {
  return one.at - other.at || one.line - other.line
}
