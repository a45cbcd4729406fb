// A WebSocket client that writes any bytes: frames as the protocol wants them, and others.
import { randomBytes } from "node:crypto"
import { connect, type Socket } from "node:net"
import { inTime } from "../doors/answered.ts"
import type { ByteChannel } from "../doors/byte-channel.ts"
import { textOf } from "../doors/ws-client.ts"
import { Finding } from "../fuzz-target.ts"

const headerEnd = "\r\n\r\n"
const FINAL = 0x80
const [CONTINUATION, TEXT, BINARY, CLOSE] = [0, 1, 2, 8]
const MASKED = 0x80
/** Of seven bits of length: the length follows in 2 or 8 bytes. */
const [LENGTH_IN_2, LENGTH_IN_8] = [126, 127]
/** One of so many inputs is written in an unusual way, each kind of them. */
const UNUSUAL_EVERY = 24

/** `onText` is called with each text frame of the server. */
export async function openRawWebSocket(
  port: number,
  path: string,
  onText: (text: string) => void,
): Promise<ByteChannel> {
  const socket = connect(port, "127.0.0.1")
  const closed = new Promise<void>((resolve) => void socket.once("close", () => resolve()))
  socket.on("error", () => {}) // a close follows
  const upgraded = new Promise<boolean>((resolve) => {
    const reader = new FrameReader(onText, resolve, () => socket.end())
    socket.on("data", (chunk: Buffer) => reader.push(chunk))
    socket.on("close", () => resolve(false))
  })
  socket.write(requestFor(path))
  if (!(await inTime(upgraded)) || !(await upgraded)) throw new Finding("upgrade", "the server refuses a WebSocket")
  return {
    write: (bytes) => write(socket, bytes, closed),
    get isClosed() {
      return socket.destroyed || !socket.writable
    },
    closed,
    close: () => void socket.destroy(),
  }
}

function requestFor(path: string): string {
  const key = randomBytes(16).toString("base64")
  const upgrade = `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}`
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${upgrade}${headerEnd}`
}

function write(socket: Socket, bytes: Uint8Array, closed: Promise<void>): Promise<boolean> {
  if (!socket.writable || socket.write(framesOf(bytes))) return Promise.resolve(true)
  return inTime(Promise.race([new Promise<void>((resolve) => void socket.once("drain", resolve)), closed]))
}

/** The same for the same input. */
function framesOf(bytes: Uint8Array): Uint8Array {
  const sum = bytes.reduce((total, byte) => total + byte, bytes.length)
  const middle = bytes.length >> 1
  switch (sum % UNUSUAL_EVERY) {
    case 0: // text that need not be UTF-8
      return frame(FINAL | TEXT, bytes)
    case 1:
      return Buffer.concat([
        frame(TEXT, bytes.subarray(0, middle)),
        frame(FINAL | CONTINUATION, bytes.subarray(middle)),
      ])
    case 2: // not a frame at all
      return bytes
    case 3: // reserved bits, unknown kinds, controls
      return frame(bytes[0] ?? 0, bytes)
    default:
      return frame(FINAL | (textOf(bytes) === undefined ? BINARY : TEXT), bytes)
  }
}

function frame(head: number, bytes: Uint8Array): Uint8Array {
  const mask = randomBytes(4)
  const masked = bytes.map((byte, at) => byte ^ (mask[at % mask.length] ?? 0))
  return Buffer.concat([lengthOf(head, bytes.length), mask, masked])
}

function lengthOf(head: number, length: number): Uint8Array {
  if (length < LENGTH_IN_2) return Buffer.from([head, MASKED | length])
  if (length < 2 ** 16) return Buffer.from([head, MASKED | LENGTH_IN_2, length >> 8, length & 0xff])
  const long = Buffer.alloc(10)
  long.set([head, MASKED | LENGTH_IN_8])
  long.writeBigUInt64BE(BigInt(length), 2)
  return long
}

/** Frames of a server are neither masked nor, here, in parts. */
class FrameReader {
  readonly #onText: (text: string) => void
  readonly #onUpgrade: (isUpgraded: boolean) => void
  readonly #onClose: () => void
  #isUpgraded = false
  #bytes: Buffer = Buffer.alloc(0)

  constructor(onText: (text: string) => void, onUpgrade: (isUpgraded: boolean) => void, onClose: () => void) {
    this.#onText = onText
    this.#onUpgrade = onUpgrade
    this.#onClose = onClose
  }

  push(chunk: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk])
    if (!this.#isUpgraded) this.#readHead()
    while (this.#isUpgraded && this.#readFrame());
  }

  #readHead(): void {
    const end = this.#bytes.indexOf(headerEnd)
    if (end === -1) return
    this.#isUpgraded = this.#bytes.subarray(0, end).toString("latin1").startsWith("HTTP/1.1 101")
    this.#bytes = this.#bytes.subarray(end + headerEnd.length)
    this.#onUpgrade(this.#isUpgraded)
  }

  #readFrame(): boolean {
    const [head, short] = this.#bytes
    if (head === undefined || short === undefined) return false
    const start = short === LENGTH_IN_8 ? 10 : short === LENGTH_IN_2 ? 4 : 2
    if (this.#bytes.length < start) return false
    const length =
      start === 10 ? Number(this.#bytes.readBigUInt64BE(2)) : start === 4 ? this.#bytes.readUInt16BE(2) : short
    if (this.#bytes.length < start + length) return false
    const payload = this.#bytes.subarray(start, start + length)
    this.#bytes = this.#bytes.subarray(start + length)
    if (head === (FINAL | TEXT)) this.#onText(payload.toString("utf8"))
    if (head === (FINAL | CLOSE)) this.#onClose()
    return true
  }
}
