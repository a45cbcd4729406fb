// Nodes of a cluster as processes of the world, connected to the servers directly, without the proxies of the tests.
import { copyFileSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { HouseClient } from "../../src/clients/house/house-client.ts"
import { warmUp, type Contender } from "../doors/contender.ts"
import type { World } from "../doors/world.ts"
import type { Servers } from "./servers.ts"

export interface BenchNode {
  readonly contender: Contender
  /** The owner of the cluster, with the native API. */
  readonly native: () => Promise<HouseClient>
}

/** All on the same new database, warmed up. The first one makes the keys that all have. */
export async function startNodes(
  world: World,
  { nats }: Pick<Servers, "nats">,
  names: readonly string[],
  databaseUrl: string,
): Promise<readonly BenchNode[]> {
  const nodes: BenchNode[] = []
  let first: string | undefined
  for (const name of names) {
    const home = world.newHome({
      settings: {
        store: { type: "postgres", url: databaseUrl },
        bus: { type: "nats", url: nats.url },
        node: { name },
      },
    })
    if (first !== undefined)
      for (const file of ["secret.key", "console.key"]) copyFileSync(join(first, file), join(home, file))
    const contender = await world.start("ws", "ours", { home })
    nodes.push({ contender, native: () => nativeClient(contender, home) })
    first ??= home
  }
  await Promise.all(nodes.map(({ contender }) => warmUp(contender)))
  return nodes
}

export async function stopNodes(nodes: readonly BenchNode[]): Promise<void> {
  await Promise.all(nodes.map(({ contender }) => contender.stop()))
}

function nativeClient({ address }: Contender, home: string): Promise<HouseClient> {
  const key = readFileSync(join(home, "console.key"), "utf8").trim()
  return HouseClient.connect(address.replace(/\/ws$/, "/house"), { door: "bench", key })
}
