import { afterAll, beforeAll } from "vitest"
import { startVectorServer, type VectorServer } from "../../testing/servers/vector-server.ts"
import { openSharedDocuments } from "../fixtures/shared-documents.ts"
import { searchContract } from "../search/search-contract.ts"

let server: VectorServer

beforeAll(async () => {
  server = await startVectorServer()
})
afterAll(() => server.remove())

searchContract("PostgreSQL with pgvector", {
  hasVectors: true,
  open: async () => {
    await server.empty()
    return openSharedDocuments(server.url, { withVectors: true })
  },
})
