// Starts a child process behind a gate: a small shell in its own session waits for one line, then execs the command. So
// the pid is stored before any effect. Without the line (abandoned, or the host died) the shell exits without an effect.
import { spawn, type ChildProcess, type StdioOptions } from "node:child_process"
import { once } from "node:events"
import { Server, Socket } from "node:net"
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
  /** Stored with the process, where hosts of other machines read it. */
  readonly boot?: string | undefined
  /** The host's home: identifies tool processes that cleared their environment. */
  readonly home?: string | undefined
  /** By default the command has no stdin. */
  readonly stdin?: "pipe" | { readonly text: string } | undefined
  /**
   * Gets the listening socket that the command hands over once, as Node sends handles to its parent (descriptor 4). A
   * socket stays in the network in which it was opened.
   */
  readonly onListener?: ((listener: Server) => void) | undefined
}

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface GatedProcess {
  readonly process: ToolProcess
  /** Only with `stdin: "pipe"`. */
  readonly stdin: Writable | undefined
  readonly stdout: Readable
  readonly stderr: Readable
  /** The command has exited; processes it started may still run. */
  readonly exited: Promise<Exit>
  go(): void
  /** No effect after `go`. */
  abandon(): void
  /** Ends the group and all marked processes. Resolves to false if some could not be ended. */
  kill(): Promise<boolean>
  /** Whether a process of the group is alive. */
  isAlive(): Promise<boolean>
  /** Discards further output and stops keeping the host alive for it. */
  ignoreOutput(): void
}

const gateScript = (home: string | undefined) =>
  `${limitCommand(home)}; IFS= read -r line <&3 && [ "$line" = go ] || exit 125; exec 3<&-; exec "$@"`

export async function spawnGated(request: GatedRequest): Promise<GatedProcess> {
  const child = spawn("/bin/sh", ["-c", gateScript(request.home), "gate", request.command, ...request.args], {
    cwd: request.cwd,
    env: { ...request.env, [markVariable]: request.mark },
    detached: true,
    stdio: stdioOf(request),
  })
  if (child.pid === undefined) throw await faultOf(child)
  if (request.onListener !== undefined) receiveListener(child, request.onListener)
  const { pid } = child
  const exited = new Promise<Exit>((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })))
  const startTime = (await startTimeOf(pid)) ?? "unknown"
  const target = { group: pid, mark: request.mark, startTime }
  const { stdout, stderr, gate } = pipesOf(child)
  return {
    process: { pid, group: pid, startTime, mark: request.mark, ...(request.boot && { boot: request.boot }) },
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

function stdioOf({ stdin, onListener }: GatedRequest): StdioOptions {
  const pipes = [stdin === undefined ? "ignore" : "pipe", "pipe", "pipe", "pipe"] as const
  return onListener === undefined ? [...pipes] : [...pipes, "ipc"]
}

/** The channel is closed with the first message, whatever it is: later ones would come from the command itself. */
function receiveListener(child: ChildProcess, onListener: (listener: Server) => void): void {
  child.on("error", () => {}) // the other side of the channel is gone; `exited` reports it
  child.once("message", (_message, handle) => {
    child.disconnect()
    if (handle instanceof Server) onListener(handle)
    else if (handle instanceof Socket) handle.destroy()
  })
}

function gateKeys(gate: Writable): Pick<GatedProcess, "go" | "abandon"> {
  let state: "shut" | "open" | "abandoned" = "shut"
  return {
    go() {
      if (state === "abandoned") throw new Error("an abandoned process cannot be started")
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
    throw new Error("a child process has no pipes")
  gate.on("error", () => {}) // the shell is gone; `exited` reports it
  gate.resume() // so that it closes with the other side
  return { stdout, stderr, gate }
}

function openStdin(child: ChildProcess, mode: GatedRequest["stdin"]): Writable | undefined {
  if (mode === undefined || child.stdin === null) return undefined
  child.stdin.on("error", () => {}) // a command need not read its input
  if (mode === "pipe") return child.stdin
  child.stdin.end(mode.text)
  return undefined
}

/** Keeps reading: a surviving process must not die of a closed pipe. */
function ignore(stream: Readable): void {
  stream.removeAllListeners("data")
  stream.resume()
  if (stream instanceof Socket) stream.unref()
}

async function faultOf(child: ChildProcess): Promise<Error> {
  const [fault]: unknown[] = await once(child, "error")
  return fault instanceof Error ? fault : new Error("a child process could not be started")
}
