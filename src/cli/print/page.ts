// Where formatted text is printed.

/** Lines are not longer, however wide the terminal is: longer ones are hard to read. */
const MAX_TEXT_WIDTH = 100

export interface Page {
  readonly stream: NodeJS.WriteStream
  readonly width: number
  /** Without colours, marks that the text needs are kept. */
  readonly hasColour: boolean
}

export function pageOf(stream: NodeJS.WriteStream): Page {
  const depth = stream.isTTY ? stream.getColorDepth() : 1
  return { stream, width: Math.min(MAX_TEXT_WIDTH, Math.max(20, (stream.columns || 80) - 1)), hasColour: depth > 2 }
}
