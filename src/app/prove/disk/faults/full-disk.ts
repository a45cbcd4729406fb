// A home on a small file system of its own, in a mount namespace that ends with the proof. A file that takes all space
// makes it full; without the file there is space again.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { copyFileSync, readdirSync, rmSync, statSync, truncateSync, writeSync } from "node:fs"
import { join } from "node:path"
import { withFile } from "../../../../log/files.ts"
import type { OpenRig } from "./rig.ts"

const SIZE = "8m"
/** Space that may be left when it is full. */
const MAX_LEFT_KIB = 48
const CHUNK = Buffer.alloc(4096, 120)
const shellWords = `mkdir "$1.disk" && mount -t tmpfs -o size="$2" tmpfs "$1.disk" && cp -a "$1/." "$1.disk" &&
mount --bind "$1.disk" "$1" && echo ready && read line`

export interface Namespace {
  readonly unshare: readonly string[]
  /** Words that run a program in the namespace of a process. */
  readonly enter: (pid: number) => readonly string[]
}

/** As the superuser, and as a user who may create user namespaces. */
export const namespaces: readonly Namespace[] = [
  { unshare: ["--mount"], enter: (pid) => ["nsenter", `--target=${pid}`, "--mount"] },
  {
    unshare: ["--mount", "--map-root-user"],
    enter: (pid) => ["nsenter", `--target=${pid}`, "--user", "--preserve-credentials", "--mount"],
  },
]

export function fullDisk(namespace: Namespace): OpenRig {
  return async ({ home: { workspace }, below }) => {
    const holder = await holdDisk(namespace, workspace.home)
    const home = `/proc/${holder.pid}/root${workspace.home}`
    const ballast = join(home, "ballast")
    return {
      under: namespace.enter(holder.pid),
      home,
      isByItself: false,
      killsSoon: false,
      begin: () => fill(ballast, below(MAX_LEFT_KIB) * 1024),
      end: () => rmSync(ballast, { force: true }),
      failedCalls: () => 0,
      settle: async () => {
        takeOver(home, workspace.home)
        return 0
      },
      close: holder.end,
    }
  }
}

interface Holder {
  readonly pid: number
  readonly end: () => Promise<void>
}

/** The process whose namespace has the disk. It ends with its standard input, so also with the proof. */
export async function holdDisk({ unshare }: Namespace, folder: string): Promise<Holder> {
  const child = spawn("unshare", [...unshare, "sh", "-c", shellWords, "sh", folder, SIZE], { detached: true })
  let problem = ""
  const exited = new Promise<void>((resolve) => {
    child.once("error", ({ message }) => {
      problem = message
      resolve()
    })
    child.once("close", () => resolve())
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => (problem += text))
  child.stdin.on("error", () => {}) // it has ended
  const isReady = await Promise.race([once(child.stdout, "data").then(() => true), exited.then(() => false)])
  const end = async () => {
    child.stdin.end()
    await exited
  }
  if (isReady && child.pid !== undefined) return { pid: child.pid, end }
  await end()
  throw new Error(problem.trim().split("\n").at(-1) ?? "unshare failed")
}

/** Until nothing fits, then `spare` bytes are given back. */
function fill(path: string, spare: number): void {
  withFile(path, "w", (file) => {
    try {
      for (;;) writeSync(file, CHUNK)
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error
    }
  })
  truncateSync(path, Math.max(0, statSync(path).size - spare))
}

/** The files of the log, so that the next host finds them on the usual disk. */
function takeOver(from: string, to: string): void {
  for (const name of readdirSync(from))
    if (name.startsWith("turnhouse.db") && !name.endsWith("-shm") && statSync(join(from, name)).isFile())
      copyFileSync(join(from, name), join(to, name))
  copyFileSync(join(from, "secret.key"), join(to, "secret.key"))
}
