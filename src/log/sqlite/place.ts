// Where an event lies: its session's number and its seq in one integer, so that the events of a session are neighbours
// in order. Both parts together fit into what a JavaScript number holds exactly.
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
