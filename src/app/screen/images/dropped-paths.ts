// The paths in what a terminal pastes when files are dropped on it: quoted, escaped, as addresses, or as they are. Pure.
import { fileURLToPath } from "node:url"

const MAX_PATHS = 8
/** A word with quoted and escaped parts. */
const WORDS = /(?:"[^"\n]*"|'[^'\n]*'|\\.|[^\s"'\\])+/g
const PARTS = /"([^"\n]*)"|'([^'\n]*)'|\\(.)|([^"'\\]+)/g

/** Two readings, the more likely first: a path may have blanks that the terminal did not quote. */
export function droppedPaths(text: string): readonly (readonly string[])[] {
  const words = (text.match(WORDS) ?? []).map(unquoted)
  const readings = [words.flatMap(pathOf), [text.trim()].flatMap(pathOf)]
  const isComplete = words.length <= MAX_PATHS && readings[0]?.length === words.length
  return isComplete ? readings : readings.slice(1)
}

function unquoted(word: string): string {
  return word.replaceAll(PARTS, (_part, double?: string, single?: string, escaped?: string, plain?: string) => {
    return double ?? single ?? escaped ?? plain ?? ""
  })
}

/** Absolute ones only: others are words of a text. */
function pathOf(word: string): readonly string[] {
  if (/^file:\/\/(?:localhost)?\//.test(word)) return pathOfAddress(word)
  return /^(?:\/|~\/)/.test(word) ? [word] : []
}

function pathOfAddress(address: string): readonly string[] {
  try {
    return [fileURLToPath(address)]
  } catch {
    return [] // not an address after all
  }
}
