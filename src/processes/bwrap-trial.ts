// Finds bubblewrap and tests it by hiding a folder: many machines have the program but forbid what it needs.
import { execFile } from "node:child_process"
import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"
import { bwrapArguments } from "./bwrap-arguments.ts"

/** Takes milliseconds; generous, so that a busy machine does not look like one without bubblewrap. */
const TRIAL_TIMEOUT_MS = 60_000
/** Fails if anything in one of the folders is visible. */
const looksEmpty = `for folder; do
  for found in "$folder"/* "$folder"/.[!.]* "$folder"/..?*; do
    if [ -e "$found" ] || [ -L "$found" ]; then echo "$folder can be seen" >&2; exit 1; fi
  done
done`

/** The system's program comes first: a folder on the PATH may be writable for the commands to confine. */
export function findBwrap(searchPath = process.env["PATH"] ?? ""): string | undefined {
  const folders = ["/usr/bin", "/bin", "/usr/local/bin", ...searchPath.split(delimiter)]
  return folders
    .filter((folder) => folder.startsWith("/"))
    .map((folder) => join(folder, "bwrap"))
    .find(isProgram)
}

export interface TrialOptions {
  readonly timeoutMs?: number
  /** False: also tests a network of its own, which some containers forbid. Default: true. */
  readonly hasNetwork?: boolean
}

/** Why it does not work; undefined if it works. */
export function bwrapProblem(
  program: string | undefined,
  hidden: readonly string[],
  { timeoutMs = TRIAL_TIMEOUT_MS, hasNetwork = true }: TrialOptions = {},
): Promise<string | undefined> {
  if (process.platform !== "linux") return Promise.resolve("bubblewrap is for Linux only")
  if (program === undefined) return Promise.resolve("bubblewrap (bwrap) is not installed")
  const args = [
    "--die-with-parent",
    ...bwrapArguments({ hidden, hasNetwork }, "/"),
    "/bin/sh",
    "-c",
    looksEmpty,
    "trial",
    ...hidden,
  ]
  const options = { timeout: timeoutMs, killSignal: "SIGKILL", env: { PATH: "/usr/bin:/bin" } } as const
  return new Promise((resolve) => {
    execFile(program, args, options, (fault, _printed, stderr) => {
      if (fault === null) return resolve(undefined)
      if (fault.killed === true) return resolve(`${program} did not answer within ${timeoutMs / 1000} s`)
      const reason = stderr.trim().split("\n")[0] || fault.message.split("\n")[0]
      resolve(`${program} does not work here (${reason})`)
    })
  })
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
