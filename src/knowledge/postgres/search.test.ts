import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startPostgres, type PostgresServer } from "../../testing/servers/postgres-server.ts"
import { openSharedDocuments } from "../fixtures/shared-documents.ts"
import { searchContract } from "../search/search-contract.ts"
import { openDocuments } from "./tables.ts"
import { openVectors } from "./vectors.ts"

let server: PostgresServer

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())

searchContract("PostgreSQL", {
  hasVectors: false,
  open: () => openSharedDocuments(server.createDatabase()),
})

describe("vectors in PostgreSQL", () => {
  it("are refused where the database does not have pgvector, with what to do", async () => {
    const database = await openDocuments(server.createDatabase())
    await expect(openVectors(database)).rejects.toThrow(
      /needs the extension pgvector, which the database 127\.0\.0\.1:\d+\/test_\d+ does not have\. Run "create extension vector" there, or remove knowledge\.embeddings\.$/,
    )
    await database.close()
  })
})
