// Lines over this process's own stdin and stdout. Whoever opens this owns stdout alone: whatever else in the process
// prints from then on, `console.log` of a library included, goes to stderr. Writing says at once whether the reader
// keeps up; nothing is awaited here, and what was written is never taken back.
import { isatty } from "node:tty"
import { fstatSync } from "node:fs"
import { Socket } from "node:net"
import { LineSplitter, type Line } from "./framing/lines.ts"

export interface StdioOptions {
  readonly maxLineBytes: number
  readonly onLine: (line: Line) => void
  /** Nothing more will be read: the other side closed its end. */
  readonly onEnd: () => void
  /** Nobody reads any more; what is written from now on is lost. */
  readonly onBroken: () => void
  /** What waited has been written. */
  readonly onDrain: () => void
}

export interface Stdio {
  /** ASCII only. False when the reader does not keep up: wait for `onDrain`. */
  write(text: string): boolean
  /** Resolves when everything is written, or nobody reads any more. */
  flushed(): Promise<void>
  /** No line is told until `resume`; what the other side writes meanwhile waits in the pipe. */
  pause(): void
  resume(): void
  /** Reads no more: the process may end. */
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

/** A pipe is read into one buffer over and over, so that a flood leaves nothing behind. */
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
  socket.once("error", onEnd) // what was being read will never be whole
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
  stdout.removeAllListeners("error") // a broken pipe is for the new owner to act on
  return stdout
}

function written(stdout: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stdout.write("", () => resolve()))
}
