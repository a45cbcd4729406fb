// A full disk, simulated by a limit on the file size of the process that writes the log.
import { execFileSync } from "node:child_process"
import { writerPid } from "./log-writer.ts"
import type { Place } from "./place.ts"

/** Bytes that any file of the log writer may have from now on. */
export function setFreeSpace({ home }: Pick<Place, "home">, bytes: string): void {
  execFileSync("prlimit", ["--pid", String(writerPid(home)), `--fsize=${bytes}:unlimited`])
}
