// Cuts text at a number of UTF-8 bytes, never inside a character.
const maxOutputBytes = 32 * 1024

/** What `after_tool_call` carries of an output: at most 32 KiB, and then how much there was. */
export function truncateOutput(output: string): string {
  const text = output.toWellFormed()
  const bytes = Buffer.byteLength(text)
  return bytes <= maxOutputBytes ? text : `${cutAtBytes(text, maxOutputBytes)}…[truncated, ${bytes} total bytes]`
}

/** The longest beginning that has at most so many bytes and ends with a whole character. */
export function cutAtBytes(text: string, most: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= most) return text
  let end = most
  while (isContinuation(bytes[end])) end--
  return bytes.toString("utf8", 0, end)
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000
}
