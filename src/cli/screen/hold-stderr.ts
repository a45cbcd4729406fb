// Holds what is written to stderr while a screen is drawn on the same terminal: it would be written across it.

const MAX_HELD = 100_000

/** Returns a function that prints what was held, and ends the hold. A process that exits in between prints it too. */
export function holdStderr(): () => void {
  const { stderr } = process
  if (!stderr.isTTY) return () => {}
  const write = stderr.write.bind(stderr)
  let held = ""
  stderr.write = (text: string | Uint8Array) => {
    held = (held + (typeof text === "string" ? text : Buffer.from(text).toString())).slice(-MAX_HELD)
    return true
  }
  const release = () => {
    process.off("exit", release)
    stderr.write = write
    if (held !== "") write(held)
  }
  process.on("exit", release) // an uncaught error ends the process
  return release
}
