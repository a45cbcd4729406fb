// Limits what an unauthenticated client may send: its frames are buffered before they are read.
import type { Duplex } from "node:stream"

/** Bytes of a hello with the longest token. More closes the connection. */
const MAX_FIRST_BYTES = 16 * 1024

/** Returns a function that lifts the limit. */
export function limitFirstFrame(socket: Duplex): () => void {
  let bytes = 0
  const count = (piece: Buffer) => {
    bytes += piece.length
    if (bytes > MAX_FIRST_BYTES) socket.destroy()
  }
  socket.on("data", count)
  return () => socket.off("data", count)
}
