// A disk without room, played by a limit on the size of files.
import { execFileSync } from "node:child_process"
import type { Running } from "./running.ts"

/** Bytes that any file of the process may have from now on. */
export function setRoom({ pid }: Running, bytes: string): void {
  execFileSync("prlimit", ["--pid", String(pid), `--fsize=${bytes}:unlimited`])
}
