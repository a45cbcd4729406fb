// Detects that no process reads this process's standard output any more, without writing to it: poll(2) reports it for
// pipes, sockets and terminals, and Node has no API for it.
import { createRequire } from "node:module"
import type Koffi from "koffi"

/** struct pollfd: fd (32 bits), events and revents (16 bits each). */
const pollfdBytes = 8
const POLLERR = 0x008
const POLLHUP = 0x010
const POLLNVAL = 0x020

const CHECK_MS = 100
const stdoutFd = 1

/** Checks at once and then every 100 ms. Where poll cannot be called, the reader counts as alive until a write fails. */
export function watchReader(onGone: () => void): void {
  const poll = loadPoll()
  if (poll === undefined) return
  const check = () => {
    if (!isGone(poll)) return
    clearInterval(timer)
    onGone()
  }
  const timer = setInterval(check, CHECK_MS).unref()
  check()
}

type Poll = (entries: Buffer, count: number, timeoutMs: number) => unknown

function isGone(poll: Poll): boolean {
  const entry = Buffer.alloc(pollfdBytes)
  entry.writeInt32LE(stdoutFd)
  if (poll(entry, 1, 0) !== 1) return false
  return (entry.readInt16LE(6) & (POLLERR | POLLHUP | POLLNVAL)) !== 0
}

function loadPoll(): Poll | undefined {
  try {
    const koffi: typeof Koffi = createRequire(import.meta.url)("koffi")
    return koffi.load(null).func("int poll(void *, unsigned long, int)")
  } catch {
    return undefined // no prebuilt library for this platform
  }
}
