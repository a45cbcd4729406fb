// Only their user can access the log's folder and files, whatever the umask. A folder that already exists is left as it
// is. The -wal and -shm files get the mode of the database.
import {
  chmodSync,
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  statSync,
} from "node:fs"
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
    if (!existsSync(folder)) throw error // otherwise another process has just created it
  }
  chmodSync(folder, 0o700)
  syncFolder(dirname(folder))
}

/** Without it a power loss could remove a new entry of the folder, and with it what was acknowledged inside. */
export function syncFolder(folder: string): void {
  withFile(folder, "r", fsyncSync)
}

/** Another process may remove its -wal and -shm at any moment. */
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

export function withFile<Value>(path: string, flags: string, use: (descriptor: number) => Value): Value {
  const descriptor = openSync(path, flags, 0o600)
  try {
    return use(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Fewer bytes where the file ends. */
export function readBytes(descriptor: number, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  return bytes.subarray(0, readSync(descriptor, bytes, 0, length, offset))
}
