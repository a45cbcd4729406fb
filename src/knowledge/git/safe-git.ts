// Runs git on repositories of others: without hooks, questions, submodules and foreign protocols, in a process group that
// ends with the call, and with a limit for the files it writes.
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process"

export interface GitRun {
  /** What is fetched: it decides which protocols are allowed. */
  readonly location: string
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** Default: nothing is kept. */
  readonly onOutput?: (chunk: Buffer) => void
  /** The last line of git's progress. */
  readonly onProgress?: (line: string) => void
}

export interface GitRunEnd {
  readonly code: number | "missing" | "late"
  readonly stderr: string
}

/** Blocks of 512 bytes that a file of git may have: 512 MiB. */
const MAX_BLOCKS = 1024 * 1024
const MAX_STDERR = 64 * 1024
const settings = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "protocol.ext.allow=never",
  "credential.interactive=false",
  "gc.autoDetach=false",
  "fetch.recurseSubmodules=false",
]

export async function runSafeGit(args: readonly string[], run: GitRun): Promise<GitRunEnd> {
  const { signal, timeoutMs, onOutput, onProgress } = run
  const child = startSafeGit(args, run.location)
  child.stdin.end()
  let stderr = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-MAX_STDERR)
    onProgress?.(stderr.split(/[\r\n]+/).findLast((line) => line.trim() !== "") ?? "")
  })
  child.stdout.on("data", (chunk: Buffer) => onOutput?.(chunk))
  const { promise: closed, resolve: close } = Promise.withResolvers<GitRunEnd>()
  child.once("error", (fault) => close({ code: 1, stderr: fault.message }))
  child.once("close", (code) => close({ code: code === 127 ? "missing" : (code ?? 1), stderr }))
  let isLate = false
  const end = () => endGroup(child)
  const timer = setTimeout(() => {
    isLate = true
    end()
  }, timeoutMs)
  signal.addEventListener("abort", end, { once: true })
  if (signal.aborted) end()
  const ended = await closed
  clearTimeout(timer)
  signal.removeEventListener("abort", end)
  return isLate ? { ...ended, code: "late" } : ended
}

/** In its own process group, so that its helpers end with it, and without a terminal that it could ask on. */
export function startSafeGit(args: readonly string[], location: string): ChildProcessWithoutNullStreams {
  const script = `ulimit -f ${MAX_BLOCKS}; exec git "$@"`
  const all = [...settings.flatMap((setting) => ["-c", setting]), ...args]
  const child = spawn("/bin/sh", ["-c", script, "git", ...all], {
    env: { ...withoutRepository(process.env), ...environment(location) },
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
  })
  child.stdin.on("error", () => {}) // the end of git is reported by its exit
  return child
}

export function endGroup({ pid }: Pick<ChildProcessWithoutNullStreams, "pid">): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, "SIGKILL")
  } catch {
    // it has ended
  }
}

/** No questions, and only the protocols that the user named. */
function environment(location: string): Readonly<Record<string, string>> {
  const isLocal = location.startsWith("/") || location.startsWith("file:")
  return {
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "/bin/false",
    SSH_ASKPASS: "/bin/false",
    GIT_SSH_COMMAND: process.env["GIT_SSH_COMMAND"] ?? "ssh -o BatchMode=yes",
    GIT_ALLOW_PROTOCOL: isLocal ? "file" : "https:ssh",
    GIT_LFS_SKIP_SMUDGE: "1",
    GIT_NO_LAZY_FETCH: "1",
    LC_ALL: "C",
  }
}

/** Variables that a hook of git sets would make it work in another repository. */
const ofRepository = new Set([
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_INDEX_FILE",
  "GIT_COMMON_DIR",
  "GIT_NAMESPACE",
  "GIT_OBJECT_DIRECTORY",
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
])

function withoutRepository(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !ofRepository.has(name)))
}
