// A lane whose hosts are nodes of a cluster: two homes with the same keys, one database. Hosts are started on them in turn, so
// that a session that one node has lost continues on the other one.
import { copyFileSync } from "node:fs"
import { basename } from "node:path"
import { consoleKeyFile } from "../../../secrets/console-key.ts"
import { homeKey, homeKeyFile } from "../../../secrets/home-key.ts"
import type { Workspace } from "../../demo/workspace.ts"
import { openClusterLog } from "../../cluster/cluster-log.ts"
import { clusterOf } from "../../cluster/cluster.ts"
import { consoleKey } from "../../secrets/home-secrets.ts"
import { configOf, prepareLane, type LaneFolder } from "../crash/lane-home.ts"
import { server, type LaneHome, type LaneKind, type Started } from "../crash/lane-kind.ts"
import { proofHome } from "../proof-home.ts"
import { createProofDatabase, type ProofDatabase, type ProofServers } from "./proof-database.ts"

export interface ClusterLane {
  readonly kind: LaneKind
  readonly home: LaneHome
  /** Called when the log is closed. Ends what is left of both nodes. The folders stay, and the database if it is kept. */
  readonly close: (keepsDatabase: boolean) => Promise<void>
}

const nodeNames = ["one", "two"] as const

export async function openClusterLane(
  place: LaneFolder,
  name: string,
  servers: ProofServers,
  kindOf: (nodes: readonly Workspace[]) => LaneKind,
): Promise<ClusterLane> {
  const database = await createProofDatabase(servers)
  const [first, second] = [proofHome(place, name), proofHome(place, `${name}-two`)] as const
  const { model, tools } = prepareLane(first, server)
  for (const [index, workspace] of [first, second].entries())
    workspace.writeJson("home/config.json", {
      ...configOf(server, model, tools),
      ...settingsOf(database, servers),
      node: { name: nodeNames[index] },
    })
  shareKeys(first, second)
  const cluster = clusterOf({ home: first.home, config: { store: { type: "postgres", url: database.url } } })
  if (cluster === undefined) throw new Error("the lane is not a cluster")
  const log = openClusterLog(cluster, first.home)
  const close = async (keepsDatabase: boolean) => {
    await Promise.all([first.close(true), second.close(true)])
    if (!keepsDatabase) await database.drop()
  }
  return { kind: kindOf([first, second]), home: { workspace: first, model, log }, close }
}

/** Each host is started on the node after that of the last one. */
export function killedInTurn(nodes: readonly Workspace[]): LaneKind {
  let starts = 0
  return onNode((memory, sessionId, home) => {
    const workspace = nodes[starts++ % nodes.length] ?? home.workspace
    return { ...server.start({ ...home, workspace }, memory, sessionId), workspace }
  })
}

/** A host on each node; every connection goes to the node after that of the last one. */
export function bothAtOnce(nodes: readonly Workspace[]): LaneKind {
  let connections = 0
  const next = () => nodes[connections++ % nodes.length]
  const start = (...[memory, sessionId, home]: Parameters<StartOnNode>) => {
    const [started] = nodes.map((workspace) => server.start({ ...home, workspace }, memory, sessionId))
    if (started === undefined) throw new Error("the lane has no node")
    return started
  }
  return onNode(start, next)
}

type StartOnNode = (
  memory: Parameters<LaneKind["start"]>[1],
  sessionId: Parameters<LaneKind["start"]>[2],
  home: LaneHome,
) => Started

/** `next`: the node of a connection; default: that on which the host was started. */
function onNode(start: StartOnNode, next: () => Workspace | undefined = () => undefined): LaneKind {
  const at = (home: LaneHome, { workspace }: Started): LaneHome => {
    return { ...home, workspace: next() ?? workspace ?? home.workspace }
  }
  return {
    ...server,
    name: "cluster",
    start: (home, memory, sessionId) => start(memory, sessionId, home),
    address: (home, started) => server.address(at(home, started), started),
    create: (home, started, client, memory) => server.create(at(home, started), started, client, memory),
    connect: (home, started, sessionId, options) => server.connect(at(home, started), started, sessionId, options),
  }
}

function settingsOf({ url }: ProofDatabase, { bus }: ProofServers) {
  return { store: { type: "postgres", url }, ...(bus === undefined ? {} : { bus: { type: "nats", url: bus } }) }
}

function shareKeys(first: Workspace, second: Workspace): void {
  homeKey(first.home)
  consoleKey(first.home)
  for (const file of [homeKeyFile(first.home), consoleKeyFile(first.home)])
    copyFileSync(file, second.path("home", basename(file)))
}
