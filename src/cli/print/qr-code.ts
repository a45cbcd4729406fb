// A QR code for a phone to read from the terminal.
import { printNotice } from "../../app/terminal.ts"

/** On a terminal only. */
export async function printQrCode(text: string): Promise<void> {
  if (!process.stderr.isTTY) return
  const { renderUnicodeCompact } = await import("uqr")
  printNotice(renderUnicodeCompact(text, { border: 2 }))
}
