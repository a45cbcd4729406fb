// Kills the process that writes the log of a home, if one runs.
import { join } from "node:path"
import { isAlive, pidIn, placeOf, readLink } from "../../../log-writer/place.ts"

export function killLogWriter(home: string): void {
  const name = readLink(placeOf(join(home, "turnhouse.db")).current)
  if (name === undefined || !isAlive(name)) return
  try {
    process.kill(pidIn(name), "SIGKILL")
  } catch {
    // it has ended in the meantime
  }
}
