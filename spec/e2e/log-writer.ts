// The writer process of a test's home. It stays for a moment after the last command, so a test that touches the files of
// the log ends it first.
import { join } from "node:path"
import { isAlive, pidIn, placeOf, readLink } from "../../src/log-writer/place.ts"
import { eventually } from "./eventually.ts"

/** Its name while it runs. */
export function writerOf(home: string): string | undefined {
  const name = readLink(placeOf(join(home, "turnhouse.db")).current)
  return name !== undefined && isAlive(name) ? name : undefined
}

export function writerPid(home: string): number {
  const name = writerOf(home)
  if (name === undefined) throw new Error(`no log writer runs for ${home}`)
  return pidIn(name)
}

/** Afterwards the database file has everything. */
export async function endWriter(home: string): Promise<void> {
  await eventually("the log writer has ended", () => {
    const name = writerOf(home)
    if (name !== undefined) signalWriter(name, "SIGTERM")
    return name === undefined || undefined
  })
}

export function killWriter(home: string): void {
  const name = writerOf(home)
  if (name !== undefined) signalWriter(name, "SIGKILL")
}

function signalWriter(name: string, signal: NodeJS.Signals): void {
  try {
    process.kill(pidIn(name), signal)
  } catch {
    // it has ended in the meantime
  }
}
