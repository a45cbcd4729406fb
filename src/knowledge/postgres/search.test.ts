import { globSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startPostgres, type PostgresServer } from "../../testing/servers/postgres-server.ts"
import { openSharedDocuments } from "../fixtures/shared-documents.ts"
import { searchContract } from "../search/search-contract.ts"
import { openDocuments } from "./tables.ts"
import { openVectors } from "./vectors.ts"

/** Debian 12 has no package of it. */
const hasPgvector = globSync("/usr/share/postgresql/*/extension/vector.control").length > 0

let server: PostgresServer

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())

searchContract("PostgreSQL", {
  hasVectors: hasPgvector,
  open: async () => {
    const url = server.createDatabase()
    if (hasPgvector) await createExtension(url)
    return openSharedDocuments(url, { withVectors: hasPgvector })
  },
})

async function createExtension(url: string): Promise<void> {
  const database = await openDocuments(url)
  await database.execute("create extension vector")
  await database.close()
}

describe("vectors in PostgreSQL", () => {
  it("are refused where the database does not have pgvector, with what to do", async () => {
    const database = await openDocuments(server.createDatabase())
    await expect(openVectors(database)).rejects.toThrow(
      /needs the extension pgvector, which the database 127\.0\.0\.1:\d+\/test_\d+ does not have\. Run "create extension vector" there, or remove knowledge\.embeddings\.$/,
    )
    await database.close()
  })
})
