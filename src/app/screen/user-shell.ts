// A command that the user runs with `!` in the terminal: in the shell of the user, in the folder of the session.
import { spawn } from "node:child_process"
import { StringDecoder } from "node:string_decoder"

export interface RunningShell {
  /** Resolves with a line that says how it ended; empty if it succeeded. */
  readonly ended: Promise<string>
  readonly stop: () => void
}

export function runUserShell(command: string, folder: string, output: (text: string) => void): RunningShell {
  const shell = process.env["SHELL"] || "/bin/sh"
  // A group of its own, so that everything it starts can be stopped.
  const child = spawn(shell, ["-c", command], { cwd: folder, stdio: ["ignore", "pipe", "pipe"], detached: true })
  for (const stream of [child.stdout, child.stderr]) {
    const decoder = new StringDecoder("utf8")
    stream.on("data", (data: Buffer) => output(decoder.write(data)))
  }
  const ended = new Promise<string>((resolve) => {
    child.once("error", (fault) => resolve(`cannot be started: ${fault.message}`))
    child.once("close", (code, signal) =>
      resolve(signal !== null ? `ended by ${signal}` : code === 0 ? "" : `exit code ${code}`),
    )
  })
  return { ended, stop: () => stopGroup(child.pid) }
}

function stopGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, "SIGTERM")
  } catch (fault) {
    const isGone = fault instanceof Error && "code" in fault && fault.code === "ESRCH"
    if (!isGone) throw fault
  }
}
