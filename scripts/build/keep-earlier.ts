// Keeps modules of earlier builds beside those of the next one: a process that was started from a build, such as the background
// host of a checkout, loads some modules only when it needs them.
import { cpSync, existsSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** About six builds. The oldest are removed first. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024

/** Modules with other content have other names. Packages do not have the kept ones. */
export function keepEarlier(from: string, to: string, maxBytes = MAX_KEPT_BYTES): void {
  if (!existsSync(from)) return
  const next = new Set(readdirSync(to))
  const gone = readdirSync(from).filter((name) => name.endsWith(".js") && !next.has(name))
  const files = gone.map((name) => ({ name, stat: statSync(join(from, name)) }))
  const kept: string[] = []
  let bytes = 0
  for (const { name, stat } of files.toSorted((one, other) => other.stat.mtimeMs - one.stat.mtimeMs)) {
    bytes += stat.size
    if (bytes > maxBytes) break
    cpSync(join(from, name), join(to, name), { preserveTimestamps: true })
    kept.push(name)
  }
  writeFileSync(join(to, ".npmignore"), kept.join("\n"))
}
