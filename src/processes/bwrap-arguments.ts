// What bubblewrap is told: everything as it is, some folders hidden, and a process table of its own. With that table
// nobody inside can look through another process at what is hidden, and killing its first process, which stays in the
// group, ends all the others, whatever they did to get away. There is no --die-with-parent: it would end what a command
// leaves in the background together with the command.
import { mkdirSync, readdirSync, realpathSync, statSync } from "node:fs"
import { dirname, join, sep } from "node:path"

/** What root has in a usual container. More would let it unmount what hides, or reach the disk below it. */
const capabilities =
  "CHOWN DAC_OVERRIDE FSETID FOWNER NET_RAW SETGID SETUID SETFCAP SETPCAP NET_BIND_SERVICE SYS_CHROOT KILL AUDIT_WRITE"
/** Where root could have the kernel run a program outside. Others cannot write there anyway. */
const readOnlyForRoot = ["/proc/sys", "/proc/sysrq-trigger", "/sys"]

const wholeSystem = ["--dev-bind", "/", "/", "--unshare-pid", "--proc", "/proc"]
/** A shell starts the command, so that one that is not there ends with 127, as it does without a sandbox. */
const start = ["--", "/bin/sh", "-c", 'exec "$@"', "sandbox"]

/** The command follows. */
export function bwrapArguments(
  hidden: readonly string[],
  cwd: string,
  isRoot: boolean = process.getuid?.() === 0,
  shown: readonly string[] = [],
): string[] {
  const lessForRoot = isRoot ? forRoot() : []
  const windows = shown.flatMap((folder) => ["--ro-bind-try", folder, folder])
  const covers = [
    ...hidden.flatMap((folder) => ["--tmpfs", folder]),
    ...windows,
    ...hidden.flatMap((folder) => ["--remount-ro", folder]),
  ]
  return [...wholeSystem, ...lessForRoot, ...covers, "--chdir", cwd, ...start]
}

function forRoot(): string[] {
  const kept = capabilities.split(" ").flatMap((name) => ["--cap-add", `CAP_${name}`])
  const readOnly = readOnlyForRoot.flatMap((path) => ["--ro-bind-try", path, path])
  const covers = disks("/dev").flatMap((disk) => ["--ro-bind", "/dev/null", disk])
  return ["--cap-drop", "ALL", ...kept, ...readOnly, ...covers]
}

/** Through a disk itself root could read what is hidden in its file system. */
function disks(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isBlockDevice()) return [path]
    return entry.isDirectory() ? disks(path) : []
  })
}

/** The real folders to hide, none inside another. One that is not there yet is made: only what exists can be covered,
 *  and a command could else make it first. Where we cannot make it, the command, which has our rights, cannot either. */
export function readyToHide(folders: readonly string[]): string[] {
  const real = [...new Set(folders.filter(exists).map(realOrSame))]
  return real.filter((folder) => !real.some((other) => other !== folder && isInside(folder, other)))
}

export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

export function realOrSame(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path // not there: whoever uses it finds out
  }
}

/** Step by step: where a system says that nothing can be made, as in /proc, `recursive` would try for ever. */
function exists(folder: string): boolean {
  try {
    const there = statSync(folder, { throwIfNoEntry: false })
    if (there !== undefined) return there.isDirectory()
    if (!exists(dirname(folder))) return false
    mkdirSync(folder, { mode: 0o700 })
    return true
  } catch {
    return false
  }
}
