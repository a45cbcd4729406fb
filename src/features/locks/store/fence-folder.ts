// Where the files lie by which commands know their holds. A file of its own, for whoever needs nothing else of locks.

/** Beside the book; commands may read it and must not write there. */
export function fenceFolder(book: string): string {
  return `${book}.fence`
}
