// Lines over two streams: the pipes of a child process, or standard input and output.
import type { Readable, Writable } from "node:stream"
import { LineSplitter } from "./framing/lines.ts"
import type { LineConnection, OnConnection } from "./line-connection.ts"

export function attachStreams(
  input: Readable,
  output: Writable,
  maxLineBytes: number,
  onConnection: OnConnection,
): LineConnection {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const write = (bytes: string | Uint8Array) => {
    if (output.writable) output.write(bytes)
  }
  const destroy = () => {
    input.destroy()
    output.destroy()
    resolve()
  }
  const connection: LineConnection = {
    send: (line) => write(`${line}\n`),
    sendBytes: write,
    get waiting() {
      return output.writableLength
    },
    drained: () => drained(output, closed),
    pause: () => void input.pause(),
    resume: () => void input.resume(),
    closed,
    end: () => void output.end(),
    destroy,
  }
  const splitter = new LineSplitter(maxLineBytes, onConnection(connection))
  input.on("data", (chunk: Uint8Array) => void splitter.push(chunk))
  input.once("end", () => splitter.end())
  for (const stream of [input, output]) stream.on("error", destroy).once("close", destroy) // the peer is gone
  input.once("end", destroy)
  return connection
}

function drained(output: Writable, closed: Promise<void>): Promise<void> {
  if (!output.writableNeedDrain || !output.writable) return Promise.resolve()
  return Promise.race([closed, new Promise<void>((resolve) => output.once("drain", resolve))])
}
