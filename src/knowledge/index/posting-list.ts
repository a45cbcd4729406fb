// Where a term stands: for each passage its number, how often the term stands in it, and how many terms it has in all.
// In memory a list is plain numbers, three by three: there are millions. On disk passages are in rising order, each
// written as the distance from the one before, all numbers in as few bytes as they need; a list that is appended to
// stays a list.
export type PostingNumbers = readonly number[]

/** `after` is the last passage of the list that this is to be appended to; 0 where it begins one. */
export function encodePostings(numbers: PostingNumbers, after: number): Uint8Array {
  const bytes: number[] = []
  let before = after
  for (let at = 0; at < numbers.length; at += 3) {
    const passage = numbers[at] ?? 0
    write(bytes, passage - before)
    write(bytes, numbers[at + 1] ?? 0)
    write(bytes, numbers[at + 2] ?? 0)
    before = passage
  }
  return Uint8Array.from(bytes)
}

export function readPostings(data: Uint8Array, take: (passage: number, count: number, length: number) => void): void {
  let at = 0
  const next = (): number => {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = data[at++] ?? 0
      value += (byte & 127) * scale
      if (byte < 128) return value
    }
  }
  for (let passage = 0; at < data.length;) {
    passage += next()
    take(passage, next(), next())
  }
}

function write(bytes: number[], value: number): void {
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
  bytes.push(rest)
}
