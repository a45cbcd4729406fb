// For tests: a host with its native API on a Unix socket in a new folder, and clients of it.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { HostPort } from "../../contract/host-port.ts"
import type { HouseDoorOptions } from "../../doors/house/connection.ts"
import { listen } from "../../doors/house/door.ts"
import type { SessionHost } from "../../host/session-host.ts"
import { LocalPort, type LocalPortOptions } from "../../host/local-port.ts"
import { ok } from "../../log/event-log.ts"
import { emptyHome } from "../empty-home.ts"
import { plainSession, you } from "../test-host.ts"
import { LineClient, type ReceivedFrame } from "./line-client.ts"
import { noFiles } from "../../host/queries/session-files.ts"

export interface Served {
  readonly path: string
  close(): Promise<void>
}

/** `name` may contain folders. */
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

/** A port to the sessions of a host; new sessions have the default test settings. */
export function portOf(host: SessionHost, change: Partial<LocalPortOptions> = {}): LocalPort {
  return new LocalPort(host, {
    role: "test",
    release: "0",
    startedAt: 0,
    opensClosed: true,
    models: async () => [],
    settings: async () => [],
    home: emptyHome,
    files: noFiles,
    configureSession: async ({ cwd, origin }) => ok({ session: { ...plainSession, cwd, origin } }),
    ...change,
  })
}

export class RawClient extends LineClient {
  /** The answer or the refusal with that id. */
  answerTo(id: string): Promise<ReceivedFrame> {
    return this.until(() => this.received.find((frame) => frame["id"] === id))
  }
}
