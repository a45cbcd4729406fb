// The key of an event: session number and seq in one integer, so that the events of a session are stored in order. The
// result is a safe JavaScript integer.
const seqsPerSession = 2 ** 26

export const highestSeq = seqsPerSession - 1

export function placeOf(session: number, seq: number): number {
  return session * seqsPerSession + seq
}

export function sessionAt(place: number): number {
  return Math.floor(place / seqsPerSession)
}

export function seqAt(place: number): number {
  return place % seqsPerSession
}
