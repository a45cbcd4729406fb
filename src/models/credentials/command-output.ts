// The output of a command that prints a credential. Bounded in time and size; what it printed is never in a message.
import { execFile } from "node:child_process"
import { ModelUnavailable } from "../model-source.ts"

export const COMMAND_MS = 30_000
const MAX_BYTES = 64 * 1024
const MAX_ERROR_LENGTH = 200

/** `what` names the setting that has the command, for messages. */
export function commandOutput(
  [file = "", ...args]: readonly string[],
  what: string,
  timeoutMs = COMMAND_MS,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { encoding: "utf8", timeout: timeoutMs, maxBuffer: MAX_BYTES, killSignal: "SIGKILL" } as const
    const child = execFile(file, args, options, (fault, stdout, stderr) => {
      if (fault === null) resolve(stdout)
      else reject(new ModelUnavailable(`${what}: ${file} ${reasonOf(fault, stderr, timeoutMs)}`))
    })
    child.stdin?.end() // a command that would ask for a password fails instead of waiting
  })
}

interface Failed extends Error {
  readonly code?: number | string | null
  readonly killed?: boolean
}

function reasonOf(fault: Failed, stderr: string, timeoutMs: number): string {
  if (fault.code === "ENOENT") return "is not installed or not in PATH."
  if (fault.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") return `printed more than ${MAX_BYTES / 1024} KiB.`
  if (fault.killed === true) return `did not end within ${timeoutMs / 1000} s.`
  const [line = ""] = stderr.trim().split("\n")
  const said = line === "" ? "" : `: ${line.slice(0, MAX_ERROR_LENGTH).trimEnd()}`
  return `failed (${String(fault.code ?? fault.message)})${said}`
}

/** The only line of the output. */
export function lineOf(output: string, what: string): string {
  const line = output.trim()
  if (line === "") throw new ModelUnavailable(`${what}: the command printed nothing.`)
  if (/[^\x21-\x7e]/.test(line))
    throw new ModelUnavailable(
      `${what}: the command printed more than one word. It must print the key and nothing else.`,
    )
  return line
}
