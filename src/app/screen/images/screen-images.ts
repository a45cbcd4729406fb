// Images for the screen of this terminal: what the environment says about it, and files in the form that it draws.
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { imageInfo, imageTypeOf } from "../../../tools/read/image.ts"
import { fittedSize, type PixelSize } from "../../../tui/images/image-size.ts"
import type { ImageProtocol, OuterTerminal, TerminalHints } from "../../../tui/images/image-terminal.ts"
import type { ScreenImages } from "../../../tui/place.ts"
import type { Pixels } from "../../../tui/images/sixel.ts"

/** Bytes of a file that is sent to the terminal as it is; a larger picture is scaled. */
const MAX_SENT = 200_000
/** Where it cannot be scaled. */
const MAX_SENT_WHOLE = 2_000_000
const TMUX_MS = 2000

export function screenImages(env: NodeJS.ProcessEnv): ScreenImages {
  return {
    hints: terminalHints(env),
    outer: () => outerTerminal(env),
    sizeOf: sizeOfImage,
    pixels: imagePixels,
    file: imageFile,
  }
}

function terminalHints(env: NodeJS.ProcessEnv): TerminalHints {
  const inside = env["TMUX"] ? "tmux" : env["STY"] ? "screen" : undefined
  return {
    term: env["TERM"] ?? "",
    programs: [env["TERM_PROGRAM"] ?? "", env["LC_TERMINAL"] ?? ""].filter((name) => name !== ""),
    hasKittyWindow: (env["KITTY_WINDOW_ID"] ?? "") !== "",
    inside,
  }
}

/** What tmux says; undefined without one. */
async function outerTerminal(env: NodeJS.ProcessEnv): Promise<OuterTerminal | undefined> {
  if (!env["TMUX"]) return undefined
  const target = env["TMUX_PANE"] ? ["-t", env["TMUX_PANE"]] : []
  const format = "#{client_termname} #{allow-passthrough}"
  try {
    const answer = await promisify(execFile)("tmux", ["display-message", "-p", ...target, format], { timeout: TMUX_MS })
    const [term = "", passthrough = ""] = answer.stdout.trim().split(" ")
    return { term, allowsPassthrough: ["on", "all", "1", "2"].includes(passthrough) }
  } catch {
    return undefined // a tmux that cannot be asked: images stay notes
  }
}

/** iTerm2 decodes files itself; for others they must be PNG. */
function sizeOfImage(file: Buffer, protocol: ImageProtocol): PixelSize | undefined {
  const type = imageTypeOf(file)
  if (protocol !== "iterm" && type !== "image/png") return undefined
  const info = type === undefined ? "of another kind" : imageInfo(file, type)
  return typeof info === "string" ? undefined : { width: info.width, height: info.height }
}

/** As pixels, not larger than `most`. */
async function imagePixels(file: Buffer, most: PixelSize): Promise<Pixels | undefined> {
  if (imageTypeOf(file) !== "image/png") return undefined
  const { scaledPng } = await import("./scale-png.ts")
  return scaledPng(file, (full) => fittedSize(full, most))
}

/** As a file, of PNG where only that is drawn; scaled if it is large. */
async function imageFile(file: Buffer, most: PixelSize, kind: "png" | "any"): Promise<Buffer | undefined> {
  const isPng = imageTypeOf(file) === "image/png"
  if (!isPng && kind === "png") return undefined
  if (file.length <= MAX_SENT) return file
  const pixels = await imagePixels(file, most)
  if (pixels !== undefined) return (await import("./png-of-pixels.ts")).pngOfPixels(pixels)
  return file.length <= MAX_SENT_WHOLE ? file : undefined
}
