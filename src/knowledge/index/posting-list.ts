// Postings of a term: passage number, term frequency and passage length. In memory a flat array of numbers, because there
// are millions; on disk delta-encoded varints in rising order, so that lists can be appended to.
export type PostingNumbers = readonly number[]

/** `after` is the last passage of the list to append to; 0 for a new list. */
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
