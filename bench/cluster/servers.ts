// PostgreSQL and NATS of a run. They end with the world.
import { startNats, type NatsServer } from "../../src/testing/servers/nats-server.ts"
import { startPostgres, type PostgresServer } from "../../src/testing/servers/postgres-server.ts"
import { cpuOfTree } from "../doors/running-process.ts"
import type { World } from "../doors/world.ts"

export interface Servers {
  readonly postgres: PostgresServer
  readonly nats: NatsServer
}

/** Nothing is counted in a database that does not ask for it. */
const settings = ["shared_preload_libraries=pg_stat_statements", "pg_stat_statements.track=none"]

export async function startServers(world: World): Promise<Servers> {
  const starting = startPostgres({ isDurable: true, settings })
  world.onClose(() => starting.then((server) => server.remove()).catch(() => {})) // that it did not start is reported below
  const startingNats = startNats()
  world.onClose(() => startingNats.then((server) => server.stop()).catch(() => {}))
  const [postgres, nats] = await Promise.all([starting, startingNats])
  return { postgres, nats }
}

/** Milliseconds of the processor: the main process of each server with its children. */
export function cpuOfServers({ postgres, nats }: Servers): { readonly postgres: number; readonly nats: number } {
  return { postgres: cpuOfTree(postgres.process.pid), nats: cpuOfTree(nats.process.pid) }
}
