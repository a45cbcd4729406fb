// Inline images of iTerm2: the file itself, drawn from the cursor in so many characters. Pure.
import type { CellSize } from "./image-size.ts"

/** `base64` has only characters of base64. */
export function itermImage(base64: string, { columns, rows }: CellSize): string {
  const keys = `inline=1;width=${columns};height=${rows};preserveAspectRatio=1;doNotMoveCursor=1`
  return `\u001b]1337;File=${keys}:${base64}\u0007`
}
