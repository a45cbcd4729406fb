// Chooses how a turn is printed. The terminal output is loaded only where it is used.
import { printNoticesAbove } from "../../app/terminal.ts"
import type { LiveRegion } from "./live-region.ts"
import { PlainOutput } from "./plain-output.ts"
import type { TurnOutput } from "./turn-output.ts"

export interface OpenedOutput {
  readonly output: TurnOutput
  /** Where stderr is a terminal that can move its cursor. */
  readonly region: LiveRegion | undefined
}

export interface OutputOptions {
  /** Where everything but the answer is printed. */
  readonly notes: NodeJS.WriteStream
  /**
   * `live`: the bottom of the terminal may be drawn again and again. `typed`: lines are typed there, so text is printed as
   * it comes. `stored`: everything has happened already.
   */
  readonly use: "live" | "typed" | "stored"
}

export async function openOutput({ notes, use }: OutputOptions): Promise<OpenedOutput> {
  const { stdout, stderr } = process
  if (process.env["TERM"] === "dumb" || !(stderr.isTTY || stdout.isTTY)) return plainOutput(notes)
  const region = use !== "stored" && stderr.isTTY ? await openRegion(stderr) : undefined
  if (stdout.isTTY && notes.isTTY && use !== "typed") {
    const { TerminalOutput } = await import("./terminal-output.ts")
    return { output: new TerminalOutput(notes, region), region }
  }
  if (region === undefined || !notes.isTTY) return plainOutput(notes)
  const { LiveTail } = await import("./live-tail.ts")
  return { output: new PlainOutput(notes, region, new LiveTail(region)), region }
}

async function openRegion(stream: NodeJS.WriteStream): Promise<LiveRegion> {
  const { LiveRegion } = await import("./live-region.ts")
  const region = new LiveRegion(stream)
  printNoticesAbove((print) => region.above(print))
  return region
}

function plainOutput(notes: NodeJS.WriteStream): OpenedOutput {
  return { output: new PlainOutput(notes), region: undefined }
}
