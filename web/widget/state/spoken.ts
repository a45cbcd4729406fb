// An answer as the live region of the widget reads it out: Markdown without its marks, up to a bound.

const MAX_LENGTH = 2000

/** Keeps the `_` within a name such as `read_file`. */
export function spoken(text: string): string {
  return text.slice(0, MAX_LENGTH).replaceAll(/[*`#|]+|(?<![\p{L}\p{N}_])_+|_+(?![\p{L}\p{N}_])/gu, "")
}
