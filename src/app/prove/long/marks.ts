// Text that consists of marks, so that a request shows which parts of a text it has. A mark is `~o12.3;`: a text that has the
// name o12, and the number of the mark in it. Some end with another character, which must not be cut in two.

const ends = [";", ";", ";", "é", ";", "語", ";", "😀"] as const
const mark = /~([a-z]\d+)\.(\d+)(?:;|é|語|😀)/gu
const PER_LINE = 16

/** Consecutive marks of one text. */
export interface MarkRun {
  readonly name: string
  readonly from: number
  readonly to: number
}

/** A text of about so many characters, with at least one mark. */
export function markedText(name: string, length: number): string {
  let text = ""
  for (let number = 0; text.length < length || number === 0; number += 1) {
    const separator = number > 0 && number % PER_LINE === 0 ? "\n" : ""
    text += `${separator}~${name}.${number}${ends[number % ends.length]}`
  }
  return text
}

/** In the order of the text. */
export function marksIn(text: string): readonly MarkRun[] {
  const runs: MarkRun[] = []
  for (const [, name = "", digits] of text.matchAll(mark)) {
    const number = Number(digits)
    const last = runs.at(-1)
    if (last?.name === name && last.to + 1 === number) runs[runs.length - 1] = { ...last, to: number }
    else runs.push({ name, from: number, to: number })
  }
  return runs
}
