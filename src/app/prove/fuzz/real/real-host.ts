// A background host that gets some of the inputs, on its control socket and on the sockets of its sessions.
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { HouseClient } from "../../../../clients/house/house-client.ts"
import type { SessionId } from "../../../../contract/ids.ts"
import { agentFiles } from "../../../../protocols/ipc/agent-paths.ts"
import { openSocket } from "../../../../transports/socket-address.ts"
import { LineSplitter } from "../../../../transports/framing/lines.ts"
import { accepted } from "../../../app-fault.ts"
import type { ProofFolder } from "../../run-proof.ts"
import { inTime } from "../doors/answered.ts"
import type { ByteChannel } from "../doors/byte-channel.ts"
import { Finding } from "../fuzz-target.ts"
import { RealProcess } from "./real-process.ts"

const LOOK_MS = 20
const START_MS = 60_000
const MAX_LINE_BYTES = 64 * 1024 * 1024

export class RealHost extends RealProcess {
  #client: HouseClient | undefined

  static async start(folder: ProofFolder, name: string): Promise<RealHost> {
    const host = new RealHost(folder, name, ["host", "--deaths", "5"]) // without a standby shell
    try {
      await host.#until(() => existsSync(host.socketFolder) && host.#controlSocket !== undefined)
      return host
    } catch (fault) {
      await host.close()
      throw fault
    }
  }

  get sessionsFolder(): string {
    return join(this.workspace.home, "sessions")
  }

  get socketFolder(): string {
    return join(this.workspace.home, "hosts")
  }

  get cwd(): string {
    return this.workspace.path("folder")
  }

  /** Its socket exists. */
  async createSession(): Promise<SessionId> {
    this.#client ??= await HouseClient.connect(this.#controlSocket ?? "", { door: "prove" })
    const created = accepted(await this.#client.create({ cwd: this.cwd, origin: "prove" }))
    const { sessionId } = created.handle
    await this.#until(() => existsSync(agentFiles(this.sessionsFolder, sessionId).socket))
    return sessionId
  }

  /** A connection to the control socket. */
  async connect(onLine: (line: string) => void): Promise<ByteChannel> {
    const socket = await openSocket(this.#controlSocket ?? "").catch(() => undefined)
    if (socket === undefined) throw new Finding("connect", "the host does not accept a connection")
    const closed = new Promise<void>((resolve) => void socket.once("close", () => resolve()))
    const lines = new LineSplitter(MAX_LINE_BYTES, (line) => onLine(line.kind === "line" ? line.text : line.kind))
    socket.on("error", () => {}) // a close follows
    socket.on("data", (chunk: Buffer) => lines.push(chunk))
    return {
      write: (bytes) => {
        if (socket.destroyed || socket.write(bytes)) return Promise.resolve(true)
        return inTime(Promise.race([new Promise<void>((resolve) => void socket.once("drain", resolve)), closed]))
      },
      get isClosed() {
        return socket.destroyed || !socket.writable
      },
      closed,
      close: () => void socket.end(),
    }
  }

  override async close(): Promise<void> {
    this.#client?.close()
    await super.close()
  }

  get #controlSocket(): string | undefined {
    const name = readdirSync(this.socketFolder).find((file) => file.endsWith(".sock"))
    return name === undefined ? undefined : join(this.socketFolder, name)
  }

  async #until(isTrue: () => boolean): Promise<void> {
    for (const deadline = performance.now() + START_MS; !isTrue(); await sleep(LOOK_MS)) {
      if (performance.now() > deadline) throw new Finding("process", "the host does not get ready")
      this.check()
    }
  }
}
