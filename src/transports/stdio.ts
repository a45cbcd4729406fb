// Lines over this process's own stdin and stdout. From then on stdout belongs to the caller: all other output of the
// process, `console.log` of a library included, goes to stderr. A write reports at once whether the reader keeps up.
import { isatty } from "node:tty"
import { fstatSync } from "node:fs"
import { Socket } from "node:net"
import { LineSplitter, type Line } from "./framing/lines.ts"

export interface StdioOptions {
  readonly maxLineBytes: number
  readonly onLine: (line: Line) => void
  /** The peer has closed its end. */
  readonly onEnd: () => void
  /** The reader is gone; what is written from now on is lost. */
  readonly onBroken: () => void
  /** Everything has been written. */
  readonly onDrain: () => void
}

export interface Stdio {
  /** ASCII only. False when the reader does not keep up: wait for `onDrain`. */
  write(text: string): boolean
  /** Resolves when everything is written, or the reader is gone. */
  flushed(): Promise<void>
  /** Reads no line until `resume`; what the peer writes meanwhile waits in the pipe. */
  pause(): void
  resume(): void
  /** Stops reading, so that the process may exit. */
  stop(): void
}

type Input = Pick<Socket, "pause" | "resume" | "destroy">

const readBytes = 64 * 1024

/** Nothing is read before the first `resume`. */
export function openStdio(options: StdioOptions): Stdio {
  const stdout = takeStdout()
  const broken = Promise.withResolvers<void>()
  stdout.on("error", () => {
    broken.resolve()
    options.onBroken()
  })
  stdout.on("drain", () => options.onDrain())
  const splitter = new LineSplitter(options.maxLineBytes, options.onLine)
  const input = openInput(
    (chunk) => splitter.push(chunk),
    () => {
      splitter.end()
      options.onEnd()
    },
  )
  return {
    write: (text) => stdout.write(text, "latin1"),
    flushed: () => Promise.race([broken.promise, written(stdout)]),
    pause: () => void input.pause(),
    resume: () => void input.resume(),
    stop: () => void input.destroy(),
  }
}

/** A pipe is read into one buffer again and again, so that a flood allocates nothing. */
function openInput(onBytes: (bytes: Uint8Array) => void, onEnd: () => void): Input {
  if (!isPipe(0)) return openOther(onBytes, onEnd)
  const onread = {
    buffer: Buffer.alloc(readBytes),
    callback: (count: number, buffer: Uint8Array) => {
      onBytes(buffer.subarray(0, count))
      return true
    },
  }
  const socket = new Socket({ fd: 0, readable: true, writable: false, onread })
  socket.once("end", onEnd)
  socket.once("error", onEnd) // the current line will never be complete
  return socket.pause()
}

/** A file or a terminal. */
function openOther(onBytes: (bytes: Uint8Array) => void, onEnd: () => void): Input {
  const { stdin } = process
  stdin.on("data", onBytes)
  stdin.once("end", onEnd)
  stdin.once("error", onEnd)
  return stdin.pause()
}

function isPipe(fd: number): boolean {
  if (isatty(fd)) return false
  const stat = fstatSync(fd)
  return stat.isFIFO() || stat.isSocket()
}

function takeStdout(): NodeJS.WriteStream {
  const { stdout } = process
  Object.defineProperty(process, "stdout", { configurable: true, enumerable: true, get: () => process.stderr })
  stdout.removeAllListeners("error") // the new owner handles a broken pipe
  return stdout
}

function written(stdout: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stdout.write("", () => resolve()))
}
