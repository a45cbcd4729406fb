// How much somebody may say who has not shown yet who they are: frames are gathered before anybody reads them, and
// strangers could fill the memory with them.
import type { Duplex } from "node:stream"

/** A hello with the longest token. */
const most = 16 * 1024

/** Whoever says more is cut off. Returns what ends it: from then on they may say what they like. */
export function limitFirstFrame(socket: Duplex): () => void {
  let bytes = 0
  const count = (piece: Buffer) => {
    bytes += piece.length
    if (bytes > most) socket.destroy()
  }
  socket.on("data", count)
  return () => socket.off("data", count)
}
