// The log's folder and files belong to their user alone, whatever the umask says. A folder that was there before is
// left as it is: it may be somebody else's. The -wal and -shm files have the mode of the database itself.
import { chmodSync, closeSync, existsSync, fchmodSync, fsyncSync, mkdirSync, openSync, statSync } from "node:fs"
import { dirname } from "node:path"

export function preparePrivateFile(path: string): void {
  makePrivateFolder(dirname(path))
  if (!existsSync(path)) withFile(path, "a", (descriptor) => fchmodSync(descriptor, 0o600))
  const mode = (modeOf(path) ?? 0o600) & 0o700 // a file that its user made read-only stays so
  for (const file of [path, `${path}-wal`, `${path}-shm`]) setMode(file, mode)
}

function makePrivateFolder(folder: string): void {
  if (existsSync(folder)) return
  makePrivateFolder(dirname(folder))
  try {
    mkdirSync(folder, 0o700)
  } catch (error) {
    if (!existsSync(folder)) throw error // else another process has just made it
  }
  chmodSync(folder, 0o700)
  // Else a power cut could take away the whole new folder, and with it what was acknowledged inside.
  withFile(dirname(folder), "r", fsyncSync)
}

/** Another process may remove its -wal and -shm at any moment; what is gone needs no mode. */
function setMode(file: string, mode: number): void {
  const found = modeOf(file)
  if (found === undefined || found === mode) return
  try {
    chmodSync(file, mode)
  } catch (error) {
    if (modeOf(file) !== undefined) throw error
  }
}

function modeOf(file: string): number | undefined {
  const stat = statSync(file, { throwIfNoEntry: false })
  return stat === undefined ? undefined : stat.mode & 0o777
}

function withFile(path: string, flags: string, use: (descriptor: number) => void): void {
  const descriptor = openSync(path, flags, 0o600)
  try {
    use(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
