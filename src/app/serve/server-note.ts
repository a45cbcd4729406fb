// Records the address of the running server in the home, for other commands. A killed server leaves its record behind, so
// it is valid only while its process lives.
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** Keeps the record of a running server: there is one per home, and the second one fails to start. */
export function noteServer(home: string, url: string): void {
  if (serverUrl(home) === undefined) writeFileSync(noteIn(home), `${process.pid} ${url}\n`, { mode: 0o600 })
}

export function forgetServer(home: string): void {
  if (noted(home)?.pid === process.pid) rmSync(noteIn(home), { force: true })
}

export function serverUrl(home: string): string | undefined {
  const note = noted(home)
  return note !== undefined && isAlive(note.pid) ? note.url : undefined
}

function noted(home: string): { readonly pid: number; readonly url: string } | undefined {
  const file = noteIn(home)
  const [pid, url] = existsSync(file) ? readFileSync(file, "utf8").trim().split(" ") : []
  return url === undefined ? undefined : { pid: Number(pid), url }
}

function noteIn(home: string): string {
  return join(home, "server.address")
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (fault) {
    return fault instanceof Error && "code" in fault && fault.code === "EPERM"
  }
}
