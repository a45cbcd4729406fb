/** Characters of a text that are kept; of a longer one its end. */
const MAX_TEXT = 16 * 1024 * 1024

export function appendText(text: string, piece: string): string {
  return (text + piece).slice(-MAX_TEXT)
}
