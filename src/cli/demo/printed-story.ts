// Prints a story: plain lines in a pipe, with colours and a line for what is under way on a terminal.
import { createInterface } from "node:readline"
import type { WatchItem } from "../../contract/host-port.ts"
import { printable } from "../../contract/text/text.ts"
import { programName } from "../../app/demo/program-name.ts"
import type { FollowWays, StepText, StoryOutput, StoryText } from "../../app/demo/story.ts"
import type { SessionView } from "../../app/sessions/session-view.ts"
import { styled } from "../../app/terminal.ts"
import { hanging, textWidth } from "../print/hanging.ts"
import type { OpenedOutput } from "../print/open-output.ts"
import { TurnPrinter } from "../print/turn-printer.ts"

export interface PrintedStoryOptions {
  readonly opened: OpenedOutput
  /** Stops before each step until Enter. */
  readonly pauses: boolean
  readonly canAsk: boolean
  /** Aborted when the story is interrupted: from then on only its end is shown. */
  readonly signal: AbortSignal
}

/** Work that takes longer is shown. */
const SHOWN_AFTER_MS = 500
const TICK_MS = 500
/** Lines of a command's output that are shown. */
const MAX_OUTPUT_LINES = 8
/** Removes the question that was answered. */
const LINE_ABOVE = "\u001b[1A\u001b[J"
const NAME_WIDTH = 8
/** Characters that tell sessions apart which were created in the same minute. */
const SHORT_ID = 13
const CODE_FENCE = "```"
const indent = "  "

export class PrintedStory implements StoryOutput {
  readonly canAsk: boolean
  readonly #options: PrintedStoryOptions
  readonly #printers = new Map<string, TurnPrinter>()

  constructor(options: PrintedStoryOptions) {
    this.canAsk = options.canAsk
    this.#options = options
  }

  intro({ name, title, summary }: StoryText, folder: string): void {
    const command = ["turnhouse demo", ...(name === undefined ? [] : [name])].join(" ")
    this.#lines([styled("bold", `${command}: ${title}`, process.stdout), ""])
    this.#text("", summary)
    this.#lines([""])
    this.#text("  Real      ", "everything that runs: processes, files, commands, approvals, connections.")
    this.#text("  Scripted  ", "only the model. It plays a script, needs no key, and nothing leaves this machine.")
    this.#lines([`  Where     ${folder}`]) // in one piece, to be copied
    this.#text("            ", "It is removed at the end (--keep keeps it). Your own sessions are not touched.")
    this.#lines([""])
  }

  follow({ home, sessionId, page }: FollowWays): void {
    const pageLines = page === undefined ? [] : ["Or in a browser:", `${indent}${page}`]
    this.#lines([
      "To watch it as it happens, in another terminal:",
      `${indent}export TURNHOUSE_HOME=${home}`,
      `${indent}${programName()} attach ${sessionId.slice(0, SHORT_ID)}`,
      ...pageLines,
    ])
  }

  async step({ number, count }: { readonly number: number; readonly count: number }, step: StepText): Promise<void> {
    const title = ` ${number} of ${count} · ${step.title} `
    const rule = "─".repeat(Math.max(2, textWidth(process.stdout) - title.length - 3))
    this.#lines(["", styled("bold", `──${title}${rule}`, process.stdout)])
    this.#text(`${indent}Real: `, step.real)
    this.#text(`${indent}Scripted: `, step.scripted)
    if (this.#options.pauses) {
      await this.ask("Enter continues: ", this.#options.signal)
      if (this.#options.opened.region !== undefined) process.stdout.write(LINE_ABOVE)
    }
    this.#lines([""])
  }

  say(text: string): void {
    this.#text("", printable(text))
  }

  command(line: string, printed = ""): void {
    const lines = printable(printed).trimEnd().split("\n")
    const more = lines.length - MAX_OUTPUT_LINES
    this.#lines([
      styled("cyan", `$ ${line}`, process.stdout),
      ...(printed.trim() === "" ? [] : lines.slice(0, MAX_OUTPUT_LINES).map((one) => `${indent}${one}`)),
      ...(more > 0 ? [`${indent}+${more} lines`] : []),
    ])
  }

  verified(claim: string): void {
    this.#lines(hanging("✓ ", claim, textWidth(process.stdout)).map((line) => styled("green", line, process.stdout)))
  }

  async progress<Value>(what: string, work: Promise<Value>): Promise<Value> {
    const { region } = this.#options.opened
    if (region === undefined) return work
    const startedAt = performance.now()
    const draw = () => {
      const ms = performance.now() - startedAt
      if (ms >= SHOWN_AFTER_MS) region.set("calls", [styled("dim", `… ${what}  ${(ms / 1000).toFixed(0)} s`)])
    }
    const timer = setInterval(draw, TICK_MS)
    try {
      return await work
    } finally {
      clearInterval(timer)
      region.set("calls", [])
    }
  }

  show(item: WatchItem, view: SessionView): void {
    if (this.#options.signal.aborted) return
    const printer = this.#printers.get(view.sessionId) ?? new TurnPrinter(view, this.#options.opened.output)
    this.#printers.set(view.sessionId, printer)
    printer.show(item)
  }

  message(from: string, text: string): void {
    const label = `${from.padEnd(NAME_WIDTH)}  `
    const lines = printable(text)
      .split("\n")
      .filter((line) => line.trim() !== "" && line !== CODE_FENCE)
    const [first = "", ...rest] = hanging(label, lines.join("\n"), textWidth(process.stdout))
    this.#lines([first.replace(from, styled("bold", from, process.stdout)), ...rest])
  }

  async ask(question: string, signal: AbortSignal): Promise<string | undefined> {
    const { region } = this.#options.opened
    region?.pause()
    const terminal = createInterface({ input: process.stdin, output: process.stdout })
    terminal.on("SIGINT", () => process.kill(process.pid, "SIGINT"))
    const settled = AbortSignal.any([signal, this.#options.signal])
    try {
      return await new Promise((resolve) => {
        terminal.once("close", () => resolve(undefined))
        settled.addEventListener("abort", () => resolve(undefined), { once: true })
        terminal.question(styled("yellow", question, process.stdout), resolve)
      })
    } finally {
      if (settled.aborted) process.stdout.write("\n")
      terminal.close()
      region?.resume()
    }
  }

  outro({ claims, seconds, kept }: Parameters<StoryOutput["outro"]>[0]): void {
    const folder = kept === undefined ? "Its processes are ended and its folder is removed." : "Its folder is kept:"
    this.#lines([""])
    this.#text("", `done in ${seconds.toFixed(0)} s. The story verified ${claims} claims. ${folder}`)
    if (kept !== undefined) this.#lines([`${indent}${kept}`])
  }

  #text(label: string, text: string): void {
    this.#lines(hanging(label, text, textWidth(process.stdout)))
  }

  #lines(lines: readonly string[]): void {
    if (this.#options.signal.aborted) return
    const print = () => void process.stdout.write(lines.map((line) => `${line}\n`).join(""))
    this.#options.opened.output.endText()
    if (this.#options.opened.region === undefined) print()
    else this.#options.opened.region.above(print)
  }
}
