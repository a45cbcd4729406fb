// The host of a story's sessions: the background host of its home, with the standby shell that replaces it when it dies, or
// a server. The story is a client like any other, and finds the next host by itself.
import { setTimeout as sleep } from "node:timers/promises"
import { Links } from "../../host/links.ts"
import type { HouseClient } from "../../clients/house/house-client.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { EventLog, LiveHost } from "../../log/event-log.ts"
import { AppFault, accepted, exitCodes } from "../app-fault.ts"
import { Connections } from "../host/connections.ts"
import type { HomeConnection } from "../host/home-connection.ts"
import { openHomeLog } from "../host/open-log.ts"
import type { StartedProgram, Workspace } from "./workspace.ts"

export const storyDoor = "demo"
/** On a busy machine a host needs seconds to start. */
const START_MS = 60_000
const lookEveryMs = 25

export class StoryHost implements HomeConnection {
  readonly log: EventLog
  readonly port: Links
  readonly #connections: Connections
  readonly #role: string

  /** `args`: the command that runs it, `host` or `serve`. */
  static async start(workspace: Workspace, args: readonly string[], cwd: string): Promise<StoryHost> {
    const program = workspace.start(args, cwd)
    const host = new StoryHost(workspace.home, args[0] ?? "host")
    workspace.onClose(() => host.close())
    await host.next(undefined, program)
    return host
  }

  private constructor(home: string, role: string) {
    this.#role = role
    this.log = openHomeLog(home, () => {}) // the host reports an unreadable key
    this.#connections = new Connections(home, storyDoor)
    const connect = (hostId: string) => this.#connections.to(hostId)
    this.port = new Links({ log: this.log, home: () => this.#client(), connect })
  }

  /** The host that runs now, if it is another one than that with this id; waits for it. */
  async next(previousId: string | undefined, program?: StartedProgram): Promise<LiveHost> {
    for (const deadline = performance.now() + START_MS; ; await sleep(lookEveryMs)) {
      const host = await this.#find()
      if (host !== undefined && host.hostId !== previousId) return host
      const isDead = program?.exitCode() !== undefined
      if (isDead || performance.now() > deadline) throw notStarted(program)
    }
  }

  /** The host that has the session, once it is another one than that with this id. */
  async nextOwner(sessionId: SessionId, previousId: string): Promise<LiveHost> {
    for (const deadline = performance.now() + START_MS; ; await sleep(lookEveryMs)) {
      const { owner } = accepted(await this.log.find(sessionId)).value
      if (owner !== undefined && owner.hostId !== previousId) return owner
      if (performance.now() > deadline) throw new AppFault(`no host has taken over session ${sessionId}`)
    }
  }

  async close(): Promise<void> {
    this.port.close()
    this.#connections.close()
    await this.log.close()
  }

  async #find(): Promise<LiveHost | undefined> {
    const hosts = accepted(await this.log.hosts())
    return hosts.value.find(({ role }) => role === this.#role)
  }

  /** Starts none: the standby shell does, with the environment of the story. */
  async #client(): Promise<HouseClient> {
    for (const deadline = performance.now() + START_MS; ; await sleep(lookEveryMs)) {
      const host = await this.next(undefined)
      const client = await this.#connections.to(host.hostId)
      if (client !== undefined) return client
      if (performance.now() > deadline) throw notStarted(undefined)
    }
  }
}

function notStarted(program: StartedProgram | undefined): AppFault {
  const reason = program?.problem() ?? ""
  return new AppFault(`the host of the story did not start${reason === "" ? "" : `: ${reason}`}`, exitCodes.unreachable)
}
