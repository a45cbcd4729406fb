// Starts the log writer while the command is still being loaded, so that its first write does not wait for it. Problems
// with the home are reported by the command itself.
import { join } from "node:path"
import { ensureHome, homeFolder } from "../../config/home.ts"
import { mayUsePostgres } from "../../config/store-hint.ts"
import { placeOf, readLink } from "../../log-writer/place.ts"
import { startWriter } from "../../log-writer/start.ts"

export function startWriterEarly(): void {
  const place = usablePlace()
  if (place === undefined || readLink(place.current) !== undefined) return
  startWriter(place).catch(() => {}) // the first write retries and reports why
}

function usablePlace() {
  try {
    const home = homeFolder(process.env)
    if (mayUsePostgres(home, process.env)) return undefined // then SQLite has no writer
    ensureHome(home)
    return placeOf(join(home, "turnhouse.db"))
  } catch {
    return undefined
  }
}
