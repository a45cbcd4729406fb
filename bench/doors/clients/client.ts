// A client of a door or of the bare relay: it compares texts and parses no JSON, so that its own work stays small.
import type { TurnTimes } from "../turn-times.ts"

export interface Client {
  turn(message: string): Promise<TurnTimes>
  /** One answered request without a turn. */
  ask(): Promise<void>
  close(): void
  /** Where others can watch its session. */
  readonly where?: undefined | { readonly path: string; readonly sessionId: string }
}

/** The string value of a JSON text that begins after `name`; empty if there is none. The texts of the provider have no escapes. */
export function stringIn(frame: string, name: string): string {
  const start = frame.indexOf(name)
  return start === -1 ? "" : frame.slice(start + name.length, frame.indexOf('"', start + name.length))
}

/** Lines of a stream, cheaper than node:readline: it is part of every figure. */
export function onLines(stream: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  let rest = ""
  stream.setEncoding("utf8")
  stream.on("data", (text: string) => {
    const lines = (rest + text).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) onLine(line)
  })
}
