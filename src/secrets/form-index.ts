// Finds any of several hundred strings in one pass, by blocks of three characters and skips (Wu-Manber), so that text
// without a secret costs about one lookup per six characters.
// Invariant: `find` returns the leftmost occurrence, and of those the longest.
import type { Secret } from "./forms.ts"

export interface Form {
  readonly text: string
  readonly secret: Secret
}

export interface Found {
  readonly start: number
  readonly end: number
  readonly secret: Secret
}

export interface FormIndex {
  find(text: string, from: number): Found | undefined
  /** Start of the longest suffix that could still become a form; the text's length if there is none. */
  openFrom(text: string): number
}

const blockLength = 3
const hashes = 1 << 16

/** A suffix of fewer than `minSuffix` characters is ignored. */
export function createFormIndex(forms: readonly Form[], minSuffix = 1): FormIndex {
  if (forms.length === 0) return { find: () => undefined, openFrom: (text) => text.length }
  const shortest = forms.reduce((least, form) => Math.min(least, form.text.length), 255)
  if (shortest < blockLength) throw new Error(`a form of ${shortest} characters is too short to search for`)
  const shifts = shiftsOf(forms, shortest)
  const buckets = bucketsOf(forms, shortest)

  function find(text: string, from: number): Found | undefined {
    const last = text.length - shortest
    let at = from
    while (at <= last) {
      const block = blockAt(text, at + shortest - blockLength)
      const shift = shifts[block] ?? 0
      const form =
        shift === 0 ? buckets.get(block)?.find((candidate) => text.startsWith(candidate.text, at)) : undefined
      if (form !== undefined) return { start: at, end: at + form.text.length, secret: form.secret }
      at += shift || 1
    }
    return undefined
  }

  return { find, openFrom: tailFinder(forms, minSuffix) }
}

/** Combines two. Each searches a part of the text only once. */
export function joinIndexes(one: FormIndex, other: FormIndex): FormIndex {
  const [first, second] = [cacheLastFind(one), cacheLastFind(other)]
  return {
    find(text, from) {
      const [a, b] = [first(text, from), second(text, from)]
      if (a === undefined || b === undefined) return a ?? b
      if (a.start !== b.start) return a.start < b.start ? a : b
      return a.end >= b.end ? a : b
    },
    openFrom: (text) => Math.min(one.openFrom(text), other.openFrom(text)),
  }
}

/** Every string that is stored is searched: nothing is allocated for it. */
function cacheLastFind(index: FormIndex): FormIndex["find"] {
  let lastText: string | undefined
  let lastFrom = 0
  let found: Found | undefined
  return (text, from) => {
    const isKnown = lastText === text && lastFrom <= from && (found?.start ?? Infinity) >= from
    if (isKnown) return found
    found = index.find(text, from)
    lastText = text
    lastFrom = from
    return found
  }
}

function blockAt(text: string, at: number): number {
  return ((text.charCodeAt(at) << 10) ^ (text.charCodeAt(at + 1) << 5) ^ text.charCodeAt(at + 2)) & (hashes - 1)
}

/** For each block: how far the search may skip if it is at the end of the window. */
function shiftsOf(forms: readonly Form[], shortest: number): Uint8Array {
  const shifts = new Uint8Array(hashes).fill(shortest - blockLength + 1)
  for (const { text } of forms) {
    for (let at = 0; at <= shortest - blockLength; at++) {
      const block = blockAt(text, at)
      shifts[block] = Math.min(shifts[block] ?? 0, shortest - blockLength - at)
    }
  }
  return shifts
}

/** Forms by the block that ends their first `shortest` characters, long ones first. */
function bucketsOf(forms: readonly Form[], shortest: number): Map<number, readonly Form[]> {
  const longFirst = forms.toSorted((a, b) => b.text.length - a.text.length)
  return Map.groupBy(longFirst, ({ text }) => blockAt(text, shortest - blockLength))
}

function tailFinder(forms: readonly Form[], minSuffix: number): (text: string) => number {
  const sorted = forms.map((form) => form.text).toSorted((a, b) => (a < b ? -1 : 1))
  const longest = sorted.reduce((most, form) => Math.max(most, form.length), 0)
  const starts = new Uint8Array(hashes)
  for (const form of sorted) starts[pairAt(form, 0)] = 1

  return (text) => {
    for (let at = Math.max(0, text.length - longest + 1); at < text.length - Math.max(1, minSuffix - 1); at++) {
      if (starts[pairAt(text, at)] === 1 && isBeginning(sorted, text.slice(at))) return at
    }
    return minSuffix === 1 && text !== "" && isBeginning(sorted, text.slice(-1)) ? text.length - 1 : text.length
  }
}

function pairAt(text: string, at: number): number {
  return ((text.charCodeAt(at) << 8) ^ text.charCodeAt(at + 1)) & (hashes - 1)
}

/** Whether a longer form begins with the text. Such forms are adjacent in the sorted list. */
function isBeginning(sorted: readonly string[], text: string): boolean {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? "") <= text) low = middle + 1
    else high = middle
  }
  return sorted[low]?.startsWith(text) ?? false
}
