import { afterAll, beforeAll } from "vitest"
import { startPostgres, type PostgresServer } from "../../testing/servers/postgres-server.ts"
import { openSharedDocuments } from "../fixtures/shared-documents.ts"
import { searchContract } from "../search/search-contract.ts"

let server: PostgresServer

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())

searchContract("PostgreSQL", {
  hasVectors: false,
  open: () => openSharedDocuments(server.createDatabase()),
})
