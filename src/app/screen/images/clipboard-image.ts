// The image in the clipboard, from the tools of the desktop: wl-paste, xclip, and on macOS pngpaste or osascript.
import { execFile } from "node:child_process"
import { promisify } from "node:util"

/** Also the most that may be attached, so that a larger one is reported as such. */
const MAX_BYTES = 8_000_000
const TIMEOUT_MS = 5000
const types = ["image/png", "image/jpeg", "image/webp", "image/gif"]

/** `none`: the tool works, and there is no image. */
export type ClipboardImage =
  | { readonly kind: "image"; readonly bytes: Buffer }
  | { readonly kind: "none" }
  | { readonly kind: "no-tool" }

/** Undefined if the program cannot be started; without bytes if it has failed. */
type Run = (program: string, args: readonly string[]) => Promise<Buffer | undefined>

export async function clipboardImage(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
  run: Run = runTool,
): Promise<ClipboardImage> {
  const outputs = []
  for (const read of readers(env, platform)) {
    const bytes = await read(run)
    if (bytes !== undefined && bytes.length > 0) return { kind: "image", bytes }
    outputs.push(bytes)
  }
  return outputs.some((bytes) => bytes !== undefined) ? { kind: "none" } : { kind: "no-tool" }
}

type Reader = (run: Run) => Promise<Buffer | undefined>

function readers(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): readonly Reader[] {
  if (platform === "darwin") return [(run) => run("pngpaste", ["-"]), readMac]
  return [
    ...(env["WAYLAND_DISPLAY"] ? [typed("wl-paste", ["--list-types"], (type) => ["--type", type])] : []),
    ...(env["DISPLAY"] ? [typed("xclip", xclip("TARGETS"), xclip)] : []),
  ]
}

function xclip(type: string): readonly string[] {
  return ["-selection", "clipboard", "-o", "-t", type]
}

/** The clipboard says which types it has. */
function typed(program: string, list: readonly string[], read: (type: string) => readonly string[]): Reader {
  return async (run) => {
    const listed = (await run(program, list))?.toString("utf8").split(/\s+/)
    const type = types.find((one) => listed?.includes(one))
    return type === undefined ? listed && Buffer.alloc(0) : run(program, read(type))
  }
}

/** AppleScript prints bytes in hexadecimal. */
async function readMac(run: Run): Promise<Buffer | undefined> {
  const output = await run("osascript", ["-e", "get the clipboard as «class PNGf»"])
  const hex = /«data PNGf([\dA-F]+)»/.exec(output?.toString("utf8") ?? "")?.[1]
  return output && Buffer.from(hex ?? "", "hex")
}

async function runTool(program: string, args: readonly string[]): Promise<Buffer | undefined> {
  try {
    const options = { encoding: "buffer", maxBuffer: 2 * MAX_BYTES, timeout: TIMEOUT_MS } as const
    return (await promisify(execFile)(program, [...args], options)).stdout
  } catch (fault) {
    const isMissing = fault instanceof Error && "code" in fault && fault.code === "ENOENT"
    return isMissing ? undefined : Buffer.alloc(0)
  }
}
