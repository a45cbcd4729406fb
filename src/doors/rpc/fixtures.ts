// For tests: a door over a host in memory, and the parent that uses it.
import type { HostPort } from "../../contract/host-port.ts"
import { frameNames, textIn } from "../../protocols/rpc/fixtures/read-frames.ts"
import { checkRpcEvent } from "../../protocols/rpc/generated/events.js"
import type { ExtendedEvent, RpcEvent } from "../../protocols/rpc/frames.ts"
import { RpcDoor, type RpcDoorOptions } from "./door.ts"

export type Frame = RpcEvent | ExtendedEvent

/** A parent with the frames it has read, on a pipe that it may stop reading. */
export class TestParent {
  readonly frames: Frame[] = []
  readonly lost: string[] = []
  readonly left: string[] = []
  readonly faults: unknown[] = []
  isReading = true
  isListenedTo = true
  hasAskedToEnd = false
  /** Unread bytes in the pipe. */
  #unread = ""
  #door: RpcDoor | undefined
  readonly #waiting = new Set<() => void>()

  get door(): RpcDoor {
    if (this.#door === undefined) throw new Error("the door is not open yet")
    return this.#door
  }

  get unreadBytes(): number {
    return this.#unread.length
  }

  async open(port: HostPort, sessionId: string, change: Partial<RpcDoorOptions> = {}): Promise<void> {
    const by = { principal: "you", door: "rpc" }
    const opened = await port.open(sessionId, by)
    if (opened.kind === "refused") throw new Error(opened.refusal.code)
    let ids = 0
    this.#door = await RpcDoor.open(opened.handle, {
      port,
      by,
      request: { cwd: "/", origin: "rpc" },
      extended: false,
      errorWindowMs: 55_000,
      pipe: { write: (text) => this.#write(text) },
      listen: (wanted) => (this.isListenedTo = wanted),
      newId: () => `door${(ids += 1)}`,
      now: Date.now,
      onReplaced: async (id) => void this.left.push(id),
      onShutdown: () => (this.hasAskedToEnd = true),
      onLost: (refusal) => this.lost.push(refusal.code),
      onFault: (fault) => this.faults.push(fault),
      ...change,
    })
    this.#door.greet()
  }

  send(...commands: readonly object[]): void {
    for (const command of commands) this.door.receive({ kind: "line", text: JSON.stringify(command) })
  }

  /** Resolves with the first frame that matches, also an earlier one. */
  async until(fits: (frame: Frame) => boolean): Promise<Frame> {
    for (;;) {
      const found = this.frames.find(fits)
      if (found !== undefined) return found
      await new Promise<void>((resolve) => this.#waiting.add(resolve))
    }
  }

  response(id: string): Promise<Frame> {
    return this.until((frame) => (frame.type === "response" || frame.type === "error") && frame.id === id)
  }

  /** Reads again, one chunk at a time as a pipe delivers it. */
  read(): void {
    this.isReading = true
    while (this.isReading && this.#unread !== "") {
      const text = this.#unread
      this.#unread = ""
      this.#take(text)
      this.door.drained()
    }
  }

  get names(): readonly string[] {
    return frameNames(this.frames)
  }

  get text(): string {
    return textIn(this.frames)
  }

  #write(text: string): boolean {
    if (this.isReading) this.#take(text)
    else this.#unread += text
    return this.isReading
  }

  #take(text: string): void {
    if (!text.endsWith("\n")) throw new Error("a frame was cut")
    for (const line of text.slice(0, -1).split("\n")) {
      const frame: unknown = JSON.parse(line)
      if (!checkRpcEvent(frame)) throw new Error(`this is no frame: ${line}`)
      this.frames.push(frame)
    }
    for (const resolve of this.#waiting) resolve()
    this.#waiting.clear()
  }
}
