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
   * it comes. `stored`: everything has happened already. `plain`: lines are only added, and the cursor is never moved.
   */
  readonly use: "live" | "typed" | "stored" | "plain"
}

export async function openOutput({ notes, use }: OutputOptions): Promise<OpenedOutput> {
  const { stdout, stderr } = process
  if (!(stderr.isTTY || stdout.isTTY)) return plainOutput(notes)
  if (use === "plain" || process.env["TERM"] === "dumb") return stdout.isTTY ? readOutput(notes) : plainOutput(notes)
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

/** For people who read or hear lines: Markdown block by block when it is complete, without its marks. */
async function readOutput(notes: NodeJS.WriteStream): Promise<OpenedOutput> {
  const { TerminalOutput } = await import("./terminal-output.ts")
  return { output: new TerminalOutput(notes, undefined, true), region: undefined }
}

function plainOutput(notes: NodeJS.WriteStream): OpenedOutput {
  return { output: new PlainOutput(notes), region: undefined }
}
