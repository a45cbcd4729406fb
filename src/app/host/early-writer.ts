// Starts the log writer while the rest of a command is still being loaded: a child that waits for its first write would
// otherwise wait for the writer's whole start. Whatever is wrong with the home is reported by the command itself.
import { join } from "node:path"
import { ensureHome, homeFolder } from "../../config/home.ts"
import { placeOf, readLink } from "../../log-writer/place.ts"
import { startWriter } from "../../log-writer/start.ts"

export function startWriterEarly(): void {
  const place = usablePlace()
  if (place === undefined || readLink(place.current) !== undefined) return
  startWriter(place).catch(() => {}) // the first write tries again and says why
}

function usablePlace() {
  try {
    const home = homeFolder(process.env)
    ensureHome(home)
    return placeOf(join(home, "turnhouse.db"))
  } catch {
    return undefined
  }
}
