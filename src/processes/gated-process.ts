// A child process that exists but has not begun: a small shell in its own session waits for one line and then becomes
// the command. So its pid can be on disk before its effect begins. When the line never comes (abandoned, or the host
// died) the shell leaves without having run anything. The gate itself is closed before the command starts.
import { spawn, type ChildProcess, type StdioOptions } from "node:child_process"
import { once } from "node:events"
import { Socket } from "node:net"
import { Readable, type Writable } from "node:stream"
import type { ToolProcess } from "../contract/values.ts"
import { isGroupAlive, killGroup } from "./kill-group.ts"
import { markVariable } from "./mark.ts"
import { startTimeOf } from "./process-table.ts"
import { limitCommand } from "./tool-limit.ts"

export interface GatedRequest {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly mark: string
  /** Of the host; with it a process is recognised as a tool's also after it has cleared its environment. */
  readonly home?: string | undefined
  /** The command reads nothing unless told otherwise. */
  readonly stdin?: "pipe" | { readonly text: string } | undefined
}

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface GatedProcess {
  readonly process: ToolProcess
  /** Only when asked for with `stdin: "pipe"`. */
  readonly stdin: Writable | undefined
  readonly stdout: Readable
  readonly stderr: Readable
  /** The command itself has ended; what it started may go on. */
  readonly exited: Promise<Exit>
  go(): void
  /** Without effect once the command was let go. */
  abandon(): void
  /** Ends the group and everything that carries its mark. Resolves when all is gone: true, or false if some would not. */
  kill(): Promise<boolean>
  /** Whether a process of the group is alive. */
  isAlive(): Promise<boolean>
  /** From now on output is thrown away, and waiting for more of it does not keep the host alive. */
  ignoreOutput(): void
}

const gateScript = (home: string | undefined) =>
  `${limitCommand(home)}; IFS= read -r line <&3 && [ "$line" = go ] || exit 125; exec 3<&-; exec "$@"`

export async function spawnGated(request: GatedRequest): Promise<GatedProcess> {
  const child = spawn("/bin/sh", ["-c", gateScript(request.home), "gate", request.command, ...request.args], {
    cwd: request.cwd,
    env: { ...request.env, [markVariable]: request.mark },
    detached: true,
    stdio: [request.stdin === undefined ? "ignore" : "pipe", "pipe", "pipe", "pipe"] satisfies StdioOptions,
  })
  if (child.pid === undefined) throw await faultOf(child)
  const { pid } = child
  const exited = new Promise<Exit>((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })))
  const startTime = (await startTimeOf(pid)) ?? "unknown"
  const target = { group: pid, mark: request.mark, startTime }
  const { stdout, stderr, gate } = pipesOf(child)
  return {
    process: { pid, group: pid, startTime, mark: request.mark },
    stdin: openStdin(child, request.stdin),
    stdout,
    stderr,
    exited,
    ...gateKeys(gate),
    kill: () => killGroup(target),
    isAlive: () => isGroupAlive(target),
    ignoreOutput: () => [stdout, stderr].forEach(ignore),
  }
}

function gateKeys(gate: Writable): Pick<GatedProcess, "go" | "abandon"> {
  let state: "shut" | "open" | "abandoned" = "shut"
  return {
    go() {
      if (state === "abandoned") throw new Error("a process that was abandoned cannot be let go")
      if (state === "shut") gate.end("go\n")
      state = "open"
    },
    abandon() {
      if (state === "shut") gate.destroy()
      if (state === "shut") state = "abandoned"
    },
  }
}

function pipesOf(child: ChildProcess): { stdout: Readable; stderr: Readable; gate: Writable } {
  const [, stdout, stderr, gate] = child.stdio
  if (!(stdout instanceof Readable && stderr instanceof Readable && gate instanceof Socket))
    throw new Error("a child process came without its pipes")
  gate.on("error", () => {}) // nobody waits behind the gate any more; `exited` tells
  gate.resume() // so that it closes when the other side does
  return { stdout, stderr, gate }
}

function openStdin(child: ChildProcess, wanted: GatedRequest["stdin"]): Writable | undefined {
  if (wanted === undefined || child.stdin === null) return undefined
  child.stdin.on("error", () => {}) // a command need not read its input
  if (wanted === "pipe") return child.stdin
  child.stdin.end(wanted.text)
  return undefined
}

/** Reading goes on: a process that outlives its command must not die of a closed pipe. */
function ignore(stream: Readable): void {
  stream.removeAllListeners("data")
  stream.resume()
  if (stream instanceof Socket) stream.unref()
}

async function faultOf(child: ChildProcess): Promise<Error> {
  const [fault]: unknown[] = await once(child, "error")
  return fault instanceof Error ? fault : new Error("a child process could not be started")
}
