// For tests: a session with its session socket in a new folder, and viewers that send what a test wants. Everything is
// removed after the test.
import { randomBytes } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import type { HostPort } from "../../contract/host-port.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { IpcDoorOptions } from "../../doors/ipc/door-options.ts"
import { openIpcDoor, type IpcDoor } from "../../doors/ipc/door.ts"
import type { SessionHost } from "../../host/session-host.ts"
import type { NewSession } from "../../host/open-sessions.ts"
import { newSessionId } from "../../host/new-ids.ts"
import type { LocalPort } from "../../host/local-port.ts"
import type { ModelSource } from "../../models/model-source.ts"
import type { SessionActor } from "../../runner/session-actor.ts"
import type { Tool } from "../../tools/tool.ts"
import { newSession as createSession, testHost } from "../test-host.ts"
import { scriptedSource } from "../scripted-source.ts"
import { LineClient, type ReceivedFrame } from "./line-client.ts"
import { portOf } from "./served-host.ts"

export interface IpcWorld extends Opened {
  readonly host: SessionHost
  readonly port: LocalPort
  readonly session: SessionActor
}

export interface WorldChange {
  readonly tools?: readonly Tool[]
  readonly session?: Partial<NewSession>
  readonly door?: Partial<IpcDoorOptions>
}

export async function ipcWorld(
  models: ModelSource | Parameters<typeof scriptedSource>[0] = [],
  { tools = [], session: change = {}, door = {} }: WorldChange = {},
): Promise<IpcWorld> {
  const { host } = await testHost("resolve" in models ? models : scriptedSource(models), tools)
  const session = await createSession(host, change)
  const port = portOf(host)
  onTestFinished(() => host.close())
  return { ...(await openDoor(port, session.id, door)), host, port, session }
}

export const newSession = { version: 2, is_reattach: false, session_id: null, session_token: null }

export interface Opened {
  readonly door: IpcDoor
  readonly folder: string
  readonly path: string
  readonly warnings: string[]
  readonly token: () => string
  /** A viewer after its handshake and the first sync. */
  readonly viewer: (handshake?: object) => Promise<TestViewer>
  /** A viewer that has sent nothing yet. */
  readonly raw: () => TestViewer
}

export async function openDoor(
  port: HostPort,
  sessionId: SessionId,
  change: Partial<IpcDoorOptions> = {},
): Promise<Opened> {
  const folder = change.folder ?? emptyFolder()
  const warnings: string[] = []
  let ids = 0
  const door = await openIpcDoor({
    sessionId,
    folder,
    port,
    admits: () => true,
    by: { principal: "you", door: "ipc" },
    pid: process.pid,
    newId: () => `i${(ids += 1)}${Math.random()}`,
    newToken: () => randomBytes(32).toString("hex"),
    newSessionId: () => newSessionId(Date.now()),
    now: Date.now,
    blockedCommands: ["exec"],
    newSessionOnce: false,
    childReady: async () => {},
    warn: (message) => warnings.push(message),
    ...change,
  })
  onTestFinished(() => door.close())
  const path = join(folder, `${sessionId}.sock`)
  return {
    door,
    folder,
    path,
    warnings,
    token: () => readFileSync(join(folder, `${sessionId}.token`), "utf8"),
    raw: () => new TestViewer(path),
    viewer: async (handshake = newSession) => {
      const viewer = new TestViewer(path)
      viewer.say(handshake)
      await viewer.of("seal_status")
      return viewer
    },
  }
}

export function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "ipc-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export class TestViewer extends LineClient {
  write(bytes: string | Uint8Array): void {
    this.socket.write(bytes)
  }

  /** The first message of a type that fits, also if it came before. */
  of(type: string, fits: (message: ReceivedFrame) => boolean = () => true): Promise<ReceivedFrame> {
    return this.until(() => this.received.find((message) => message["type"] === type && fits(message)))
  }

  ack(command: string): Promise<ReceivedFrame> {
    return this.of("ack", (message) => message["command"] === command)
  }

  text(): string {
    return this.all("stream_chunk")
      .map(({ text }) => text)
      .join("")
  }
}
