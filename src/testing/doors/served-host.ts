// For tests: a house behind its door on a Unix socket in a folder of its own, and clients of it.
import { mkdtempSync, rmSync } from "node:fs"
import { createConnection, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { HostPort } from "../../contract/host-port.ts"
import type { HouseDoorOptions } from "../../doors/house/connection.ts"
import { listen } from "../../doors/house/door.ts"
import type { SessionHost } from "../../host/session-host.ts"
import { LocalPort, type LocalPortOptions } from "../../host/local-port.ts"
import { ok } from "../../log/event-log.ts"
import { houseLimits } from "../../protocols/house/limits.ts"
import { LineSplitter } from "../../transports/framing/lines.ts"
import { you } from "../test-host.ts"

export interface Served {
  readonly path: string
  close(): Promise<void>
}

/** `name` may hold folders. */
export async function serve(port: HostPort, options: Partial<HouseDoorOptions> = {}, name = "h.sock"): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), "house-"))
  const path = join(folder, name)
  const listener = await listen(path, () => true, {
    port,
    by: you,
    host: "h1",
    role: "test",
    release: "0",
    ...options,
  })
  const close = async () => {
    await listener.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { path, close }
}

/** The sessions of a house, and new ones that are as plain as can be. */
export function portOf(host: SessionHost, change: Partial<LocalPortOptions> = {}): LocalPort {
  return new LocalPort(host, {
    role: "test",
    release: "0",
    startedAt: 0,
    takesIn: true,
    models: async () => [],
    configureSession: async ({ cwd, origin }) =>
      ok({
        session: {
          origin,
          org: "local",
          owner: "you",
          preset: "trusting",
          cwd,
          model: "m",
          toolMode: "Smart",
          limits: { stepsPerTurn: 20, depth: 2, children: 2 },
          budget: {},
        },
      }),
    ...change,
  })
}

/** A client that says what a test wants, and keeps the frames it gets. */
export class RawClient {
  readonly socket: Socket
  readonly frames: Record<string, unknown>[] = []
  readonly closed: Promise<unknown>

  constructor(path: string) {
    this.socket = createConnection(path)
    this.closed = new Promise((resolve) => this.socket.on("close", resolve))
    this.socket.on("error", () => this.socket.destroy())
    const splitter = new LineSplitter(houseLimits.lineBytes, (line) => {
      if (line.kind === "line") this.frames.push(JSON.parse(line.text))
    })
    this.socket.on("data", (chunk: Buffer) => splitter.push(chunk))
  }

  say(...frames: readonly object[]): void {
    for (const frame of frames) this.socket.write(`${JSON.stringify(frame)}\n`)
  }

  types(): unknown[] {
    return this.frames.map((frame) => frame["type"])
  }

  of(type: string): Record<string, unknown>[] {
    return this.frames.filter((frame) => frame["type"] === type)
  }

  /** The answer or the refusal with that id. */
  answerTo(id: string): Promise<Record<string, unknown>> {
    return this.until(() => this.frames.find((frame) => frame["id"] === id))
  }

  async until<Value>(look: () => Value | undefined | false): Promise<Value> {
    for (;;) {
      const found = look()
      if (found !== undefined && found !== false) return found
      if (this.socket.destroyed)
        throw new Error(`the connection was closed after ${JSON.stringify(this.frames.at(-1))}`)
      await Promise.race([new Promise((resolve) => this.socket.once("data", resolve)), this.closed])
    }
  }
}
