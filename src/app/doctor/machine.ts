// Checks Node, the operating system and free disk space.
import { existsSync, statfsSync } from "node:fs"
import { release } from "node:os"
import { dirname, join, sep } from "node:path"
import { programFolder } from "../../program/program-files.ts"
import { type Check, type Finding, ok, problem, warning } from "./finding.ts"

const tightBytes = 1024 ** 3
const tooLittleBytes = 100 * 1024 ** 2

export function machineChecks(home: string): readonly Check[] {
  return [
    { subject: "Node", look: async () => [node()] },
    { subject: "system", look: async () => [system()] },
    { subject: "disk", look: async () => disk(home) },
  ]
}

function node(): Finding {
  const { execPath, version } = process
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
  const from = isPinned(execPath) ? "bundled" : execPath
  if (major > 24 || (major === 24 && minor >= 15)) return ok("Node", `${version} (${from})`)
  return problem("Node", `${version} (${from}) is too old`, "use Node 24.15 or newer")
}

/** Below this package, or beside it. */
function isPinned(path: string): boolean {
  const folders = [join(programFolder, "node_modules"), dirname(programFolder)]
  return folders.some((folder) => path.startsWith(join(folder, `node-linux-${process.arch}`) + sep))
}

function system(): Finding {
  const what = `${process.platform} ${release()}, ${process.arch}`
  if (process.platform === "linux") return ok("system", what)
  if (process.platform === "darwin")
    return warning("system", `${what}: processes that leave their group are not found`, "use Linux if this matters")
  return problem("system", `${what} is not supported`, "use Linux, or WSL on Windows")
}

function disk(home: string): readonly Finding[] {
  const { bavail, bsize, ffree, files } = statfsSync(nearestFolder(home))
  const bytes = bavail * bsize
  const what = `${formatBytes(bytes)} free on the disk of ${home}`
  const todo = "free some space; 'turnhouse prune --older 90d' deletes old sessions"
  if (files > 0 && ffree === 0) return [problem("disk", "the disk has no free inodes", todo)]
  if (bytes < tooLittleBytes) return [problem("disk", what, todo)]
  return [bytes < tightBytes ? warning("disk", what, todo) : ok("disk", what)]
}

function nearestFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestFolder(dirname(path))
}

export function formatBytes(bytes: number): string {
  if (bytes < 1024 ** 2) return `${Math.ceil(bytes / 1024)} KiB`
  if (bytes < 1024 ** 3) return `${(bytes / 1024 ** 2).toFixed(1)} MiB`
  return `${(bytes / 1024 ** 3).toFixed(1)} GiB`
}
