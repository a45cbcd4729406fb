// Arguments of bubblewrap: visible and writable folders and a separate process table. Killing the first process, which
// stays in the group, ends all others. No --die-with-parent: it would end background processes of a command.
import { accessSync, constants, mkdirSync, readdirSync, realpathSync, statSync } from "node:fs"
import { dirname, join, sep } from "node:path"

/** What a command sees. All paths are real paths (`readyToHide`, `readyToProtect`). */
export interface SandboxView {
  /** Empty and read-only; none inside another. */
  readonly hidden: readonly string[]
  /** Inside hidden folders: visible and read-only. The last name may be a link. */
  readonly shown?: readonly string[]
  /** Inside hidden folders: visible and writable. */
  readonly opened?: readonly string[]
  /** Files and folders that can be read and not changed. Those inside a hidden folder stay hidden. */
  readonly readOnly?: readonly string[]
  /** When given, everything else is read-only. Those inside a hidden folder stay hidden. */
  readonly writable?: readonly string[]
  /** Default: true. */
  readonly hasNetwork?: boolean
}

/** What root has in a usual container. More would let it unmount what hides, or reach the disk below it. */
const capabilities =
  "CHOWN DAC_OVERRIDE FSETID FOWNER NET_RAW SETGID SETUID SETFCAP SETPCAP NET_BIND_SERVICE SYS_CHROOT KILL AUDIT_WRITE"
/** Where root could have the kernel run a program outside. Others cannot write there anyway. */
const readOnlyForRoot = ["/proc/sys", "/proc/sysrq-trigger", "/sys"]

const writableSystem = ["--dev-bind", "/", "/"]
const readOnlySystem = ["--ro-bind", "/", "/", "--dev-bind", "/dev", "/dev"]
/** A shell starts the command, so that one that does not exist ends with 127, as it does without a sandbox. */
const start = ["--", "/bin/sh", "-c", 'exec "$@"', "sandbox"]

/** The command follows. */
export function bwrapArguments(
  view: SandboxView,
  cwd: string,
  isRoot: boolean = process.getuid?.() === 0,
  canWrite: (folder: string) => boolean = isWritable,
): string[] {
  const { hidden, writable, hasNetwork = true } = view
  return [
    ...(writable === undefined ? writableSystem : readOnlySystem),
    ...mountsOutside(view, canWrite),
    "--unshare-pid",
    "--proc",
    "/proc",
    ...(hasNetwork ? [] : ["--unshare-net"]),
    ...(isRoot ? forRoot() : []),
    ...hidden.flatMap((folder) => ["--tmpfs", folder]),
    ...windowsInside(view),
    ...hidden.flatMap((folder) => ["--remount-ro", folder]),
    "--chdir",
    cwd,
    ...start,
  ]
}

/** Outer folders come first: an inner mount must not be covered by the one around it. */
function mountsOutside(view: SandboxView, canWrite: (folder: string) => boolean): string[] {
  const { hidden, readOnly = [], writable = [] } = view
  const isHidden = (path: string) => hidden.some((folder) => isInside(path, folder))
  const kept = readOnly.filter((path) => !isHidden(path))
  const mounts = [
    ...pinned([...hidden, ...kept], view, canWrite).map((path) => ({ path, option: "--dev-bind-try" })),
    ...writable.filter((path) => !isHidden(path)).map((path) => ({ path, option: "--dev-bind-try" })),
    ...kept.map((path) => ({ path, option: "--ro-bind-try" })),
  ]
  return mounts.toSorted((a, b) => a.path.length - b.path.length).flatMap(({ path, option }) => [option, path, path])
}

function windowsInside({ hidden, shown = [], opened = [] }: SandboxView): string[] {
  const isHidden = (path: string) => hidden.some((folder) => isInside(path, folder))
  return [
    ...shown.filter(isHidden).flatMap((folder) => ["--ro-bind-try", folder, folder]),
    ...opened.filter(isHidden).flatMap((folder) => ["--bind-try", folder, folder]),
  ]
}

/**
 * Folders above a protected path that the command could rename, to put its own in their place. A mount point cannot be
 * renamed, so each becomes one.
 */
function pinned(paths: readonly string[], view: SandboxView, canWrite: (folder: string) => boolean): string[] {
  const { readOnly = [], writable = ["/"] } = view
  const canRename = (path: string) => {
    const folder = dirname(path)
    const isOpen = writable.some((open) => isInside(folder, open)) && !readOnly.some((one) => isInside(folder, one))
    return isOpen && canWrite(folder)
  }
  return [...new Set(paths.flatMap(foldersAbove))].filter(canRename)
}

function foldersAbove(path: string): string[] {
  const above = dirname(path)
  return above === path || above === "/" ? [] : [above, ...foldersAbove(above)]
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

/**
 * The real folders to hide, none inside another. One that does not exist yet is created: only what exists can be
 * covered, and a command could create it first. Where we cannot create it, the command, which has our rights, cannot
 * either.
 */
export function readyToHide(folders: readonly string[]): string[] {
  const real = [...new Set(folders.filter(isFolderNow).map(realOrSame))]
  return real.filter((folder) => !real.some((other) => other !== folder && isInside(folder, other)))
}

/** The real files and folders to protect. A folder that does not exist yet is created, for the same reason. */
export function readyToProtect(paths: readonly string[]): string[] {
  const ready = paths.filter(
    (path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true || isFolderNow(path),
  )
  return [...new Set(ready.map(realOrSame))]
}

export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

export function realOrSame(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path // it does not exist: its user finds out
  }
}

/** Step by step: where a system says that nothing can be created, as in /proc, `recursive` would try for ever. */
function isFolderNow(folder: string): boolean {
  try {
    const found = statSync(folder, { throwIfNoEntry: false })
    if (found !== undefined) return found.isDirectory()
    if (!isFolderNow(dirname(folder))) return false
    mkdirSync(folder, { mode: 0o700 })
    return true
  } catch {
    return false
  }
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}
