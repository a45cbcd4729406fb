// Stored vectors: one byte and one sign bit per dimension. Sign bits of a class are kept in memory to preselect a few
// hundred candidates, which are compared exactly. Callers compare only vectors of the same model and length.
const wordBits = 32

export interface StoredVector {
  readonly data: Uint8Array
  readonly bits: Uint8Array
}

/** Scaled so that the largest dimension uses the whole byte; only the direction matters. */
export function quantised(vector: Float32Array): Int8Array {
  let largest = 0
  for (const value of vector) largest = Math.max(largest, Math.abs(value))
  const data = new Int8Array(vector.length)
  if (largest === 0) return data
  for (let at = 0; at < data.length; at++) data[at] = Math.round(((vector[at] ?? 0) * 127) / largest)
  return data
}

export function stored(vector: Float32Array): StoredVector {
  const data = quantised(vector)
  return { data: new Uint8Array(data.buffer), bits: new Uint8Array(signsOf(data).buffer) }
}

/** A set bit for each dimension that is not negative. */
export function signsOf(data: Int8Array): Uint32Array {
  const signs = new Uint32Array(Math.ceil(data.length / wordBits))
  for (let at = 0; at < data.length; at++) {
    const word = Math.floor(at / wordBits)
    if ((data[at] ?? 0) >= 0) signs[word] = ((signs[word] ?? 0) | (1 << (at % wordBits))) >>> 0
  }
  return signs
}

export function cosine(one: Int8Array, other: Int8Array): number {
  let product = 0
  let oneSquare = 0
  let otherSquare = 0
  for (let at = 0; at < one.length; at++) {
    const left = one[at] ?? 0
    const right = other[at] ?? 0
    product += left * right
    oneSquare += left * left
    otherSquare += right * right
  }
  return product === 0 ? 0 : product / Math.sqrt(oneSquare * otherSquare)
}

/** The rows whose sign bits differ least, unordered. */
export function nearestRows(block: Uint32Array, signs: Uint32Array, count: number): readonly number[] {
  const width = signs.length
  const rows = width === 0 ? 0 : Math.floor(block.length / width)
  const distances = new Uint16Array(rows)
  const tally = new Uint32Array(width * wordBits + 1)
  for (let row = 0, at = 0; row < rows; row++) {
    let distance = 0
    for (let word = 0; word < width; word++, at++) distance += bitCount((block[at] ?? 0) ^ (signs[word] ?? 0))
    distances[row] = distance
    tally[distance] = (tally[distance] ?? 0) + 1
  }
  return rowsWithin(distances, farthestOf(tally, count), count)
}

function farthestOf(tally: Uint32Array, count: number): number {
  let seen = 0
  for (let distance = 0; distance < tally.length; distance++) {
    seen += tally[distance] ?? 0
    if (seen >= count) return distance
  }
  return tally.length
}

/** Of the rows at the threshold the first ones are taken. */
function rowsWithin(distances: Uint16Array, farthest: number, count: number): readonly number[] {
  const near: number[] = []
  const edge: number[] = []
  for (let row = 0; row < distances.length; row++) {
    const distance = distances[row] ?? 0
    if (distance < farthest) near.push(row)
    else if (distance === farthest) edge.push(row)
  }
  return [...near, ...edge].slice(0, count)
}

function bitCount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
