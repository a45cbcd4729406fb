// Checks the documents in PostgreSQL: whether they can be searched, and whether those of this node are there.
import type { Config } from "../../contract/config.ts"
import { openForReading } from "../../knowledge/index/schema.ts"
import { countDifferences, countDocuments } from "../../knowledge/postgres/publish.ts"
import { openDocuments } from "../../knowledge/postgres/tables.ts"
import { openVectors } from "../../knowledge/postgres/vectors.ts"
import type { Database } from "../../postgres/database.ts"
import { messageOf } from "../app-fault.ts"
import { embedderName } from "../settings/embedder.ts"
import { ok, problem, warning, type Finding } from "./finding.ts"

interface Place {
  readonly url: string
  readonly indexPath: string
}

export async function checkSharedDocuments(
  subject: string,
  { url, indexPath }: Place,
  config: Config,
): Promise<readonly Finding[]> {
  try {
    const database = await openDocuments(url)
    try {
      if (embedderName(config) !== undefined) await openVectors(database)
      return [await finding(subject, database, indexPath)]
    } finally {
      await database.close()
    }
  } catch (fault) {
    return [problem(subject, messageOf(fault), "fix the cause; until then no documents are found")]
  }
}

async function finding(subject: string, database: Database, indexPath: string): Promise<Finding> {
  const count = `${await countDocuments(database)} documents in PostgreSQL at ${database.server}`
  const different = await differencesOf(indexPath, database)
  if (different === 0) return ok(subject, count)
  return warning(
    subject,
    `${count}; ${different} of this node are not there, or differ`,
    "run 'turnhouse knowledge refresh'",
  )
}

async function differencesOf(indexPath: string, database: Database): Promise<number> {
  const local = openForReading(indexPath)
  if (local === undefined) return 0
  try {
    return await countDifferences(local, database)
  } finally {
    local.close()
  }
}
