// PostgreSQL with pgvector for tests: PGlite, the server built for WebAssembly, because Debian 12 has no package of pgvector.
// It has one database, which `empty` clears.
import { PGlite } from "@electric-sql/pglite"
import { vector } from "@electric-sql/pglite-pgvector"
import { PGLiteSocketServer } from "@electric-sql/pglite-socket"
import { freePort } from "./server-process.ts"

export interface VectorServer {
  readonly url: string
  empty(): Promise<void>
  remove(): Promise<void>
}

/** Of one pool and one reader beside it. */
const CONNECTIONS = 20

export async function startVectorServer(): Promise<VectorServer> {
  const db = await PGlite.create({ extensions: { vector } })
  const port = await freePort()
  const server = new PGLiteSocketServer({ db, port, host: "127.0.0.1", maxConnections: CONNECTIONS })
  await server.start()
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    empty: async () => {
      await db.exec("drop schema if exists turnhouse cascade; create extension if not exists vector")
    },
    remove: async () => {
      await server.stop()
      await db.close()
    },
  }
}
