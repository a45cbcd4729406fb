// The kinds of hosts that a proof kills, and how their clients reach them.
import { existsSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { HouseClient } from "../../../clients/house/house-client.ts"
import type { SessionId } from "../../../contract/ids.ts"
import type { EventLog } from "../../../log/event-log.ts"
import type { Workspace } from "../../demo/workspace.ts"
import { accepted } from "../../app-fault.ts"
import { consoleKey } from "../../secrets/home-secrets.ts"
import { serverUrl } from "../../serve/server-note.ts"
import { socketPath } from "../../host/socket-path.ts"
import { HostProcess } from "../host-process.ts"
import type { ConnectOptions, DoorClient, DoorMemory } from "./doors/door-client.ts"
import { Parent } from "./doors/parent.ts"
import { connectViewer } from "./doors/viewer.ts"
import { agentId, connectVisitor } from "./doors/visitor.ts"
import type { PlayKind } from "./play.ts"

export const proofDoor = "prove"
const LOOK_MS = 10
/** `--deaths`: no standby shell, the proof starts the next host itself. */
const withoutStandby = ["--deaths", "5"]

export interface LaneHome {
  readonly workspace: Workspace
  readonly log: EventLog
  /** The scripted model of its sessions. */
  readonly model: string
}

/** A process that runs, before its clients have connected. */
export interface Started {
  readonly process: HostProcess
  readonly parent?: Parent
  /** Where it runs, if the lane has several homes. */
  readonly workspace?: Workspace
}

export interface LaneKind extends PlayKind {
  readonly name: string
  /** Of the client that is not the native one. */
  readonly doorName: string
  /** In `config.json`, besides the tools. */
  readonly config: { readonly [key: string]: unknown }
  /** Its log can be made one of an older release, which had no visits. */
  readonly migrates: boolean
  start(home: LaneHome, memory: DoorMemory, sessionId: SessionId | undefined): Started
  /** Where the native API of the process is; undefined while it does not listen. */
  address(home: LaneHome, started: Started): Promise<string | undefined>
  create(home: LaneHome, started: Started, client: HouseClient, memory: DoorMemory): Promise<SessionId>
  /** Called when the session is open in the process. */
  connect(home: LaneHome, started: Started, sessionId: SessionId, options: ConnectOptions): Promise<DoorClient>
}

/** The background host with a viewer on the session socket. */
export const backgroundHost: LaneKind = {
  name: "host",
  doorName: "session-socket",
  migrates: true,
  hasPrograms: false,
  hasPlans: true,
  hasAgents: true,
  compacts: true,
  continuesTurns: true,
  isCondensed: false,
  config: {},
  start: ({ workspace }) => ({ process: HostProcess.start(workspace, ["host", ...withoutStandby]) }),
  address: controlSocket,
  create: async ({ workspace, model }, _, client) => {
    const options = { cwd: workspace.path("folder"), origin: proofDoor, model }
    return accepted(await client.create(options)).handle.sessionId
  },
  connect: ({ workspace }, _, sessionId, options) => connectViewer(workspace.path("home/sessions"), sessionId, options),
}

/** A stdio child with its parent. A turn that a crash left open is ended, because its parent decides what to do. */
export const stdioChild: LaneKind = {
  name: "rpc",
  doorName: "stdio",
  migrates: true,
  hasPrograms: true,
  hasPlans: false,
  hasAgents: true,
  compacts: false,
  continuesTurns: false,
  isCondensed: false,
  config: {},
  start: ({ workspace, model }, memory, sessionId) => {
    const parent = new Parent(memory)
    const which = sessionId === undefined ? ["--model", model] : ["--continue", sessionId]
    const process = HostProcess.start(workspace, ["rpc", "--extended", ...which], {
      onLine: (line) => parent.take(line),
    })
    parent.use(process)
    return { process, parent }
  },
  address: controlSocket,
  create: async (_, { parent }) => (await parent?.ready) ?? "",
  connect: async (_, { parent }) => {
    if (parent === undefined) throw new Error("the stdio child has no parent")
    await parent.ready
    return parent
  },
}

/** The server, with a visitor of the WebSocket API. The native API is reached over the network too. */
export const server: LaneKind = {
  name: "serve",
  doorName: "websocket",
  migrates: false,
  hasPrograms: false,
  hasPlans: false,
  hasAgents: false,
  compacts: false,
  continuesTurns: true,
  isCondensed: true,
  config: { agents: { [agentId]: { tools: ["look", "keep", "note", "risky"] } } },
  start: ({ workspace }) => ({ process: HostProcess.start(workspace, ["serve", "--port", "0", "--quiet"]) }),
  address: async ({ workspace }) => {
    const url = serverUrl(workspace.home)
    return url === undefined ? undefined : `${url}#key=${consoleKey(workspace.home)}`
  },
  create: async ({ workspace }, _, __, memory) => {
    const visitor = await connectVisitor(socketUrl(workspace), memory)
    visitor.close()
    return visitor.conversationId
  },
  connect: ({ workspace }, _, sessionId, { memory }) => connectVisitor(socketUrl(workspace), memory, sessionId),
}

function socketUrl({ home }: Workspace): string {
  return `${(serverUrl(home) ?? "").replace(/^http/, "ws")}/ws`
}

async function controlSocket({ workspace, log }: LaneHome, { process }: Started): Promise<string | undefined> {
  const hosts = await log.hosts()
  const host = hosts.kind === "ok" ? hosts.value.find(({ pid }) => pid === process.pid) : undefined
  const path = host === undefined ? undefined : socketPath(workspace.home, host.hostId)
  return path !== undefined && existsSync(path) ? path : undefined
}

/** A connection to the native API of the process, as soon as it answers. Undefined if `isOver` becomes true before. */
export async function reachHost(
  kind: LaneKind,
  home: LaneHome,
  started: Started,
  isOver: () => boolean,
): Promise<HouseClient | undefined> {
  for (; !isOver(); await sleep(LOOK_MS)) {
    const address = await kind.address(home, started)
    const client = address === undefined ? undefined : await houseClient(address)
    if (client !== undefined) return client
  }
  return undefined
}

async function houseClient(address: string): Promise<HouseClient | undefined> {
  try {
    return await HouseClient.connect(address, { door: proofDoor })
  } catch {
    return undefined // it does not listen yet
  }
}
