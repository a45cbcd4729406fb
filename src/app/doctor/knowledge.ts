// Checks the document index: whether it can be read, and whether all documents have vectors. Silent without documents, except
// where they are in PostgreSQL.
import { messageOf } from "../app-fault.ts"
import { existsSync } from "node:fs"
import type { Config } from "../../contract/config.ts"
import { listDocuments } from "../../knowledge/index/catalogue.ts"
import { embedderOf, openForReading } from "../../knowledge/index/schema.ts"
import { documentDatabase, indexPath } from "../settings/knowledge.ts"
import { embedderName, namesRemovedModel, removedModel } from "../settings/embedder.ts"
import { ok, problem, warning, type Check, type Finding } from "./finding.ts"

const subject = "knowledge"
const addAgain = "run 'turnhouse knowledge add' again"
const removeSetting = "remove the setting, or name provider/model"

export function knowledgeChecks(home: string, config: Config): readonly Check[] {
  const path = indexPath(home)
  const url = documentDatabase(config)
  if (url !== undefined) return [{ subject, look: () => checkShared({ url, indexPath: path }, config) }]
  return existsSync(path) ? [{ subject, look: async () => checkIndex(home, config) }] : []
}

async function checkShared(place: { readonly url: string; readonly indexPath: string }, config: Config) {
  const { checkSharedDocuments } = await import("./shared-knowledge.ts")
  return checkSharedDocuments(subject, place, config)
}

function checkIndex(home: string, config: Config): readonly Finding[] {
  const path = indexPath(home)
  try {
    const database = openForReading(path)
    if (database === undefined) return []
    try {
      const lines = listDocuments(database, undefined)
      const missing = lines.reduce((all, { passages, embedded }) => all + passages - embedded, 0)
      const configuredEmbedder = embedderName(config)
      if (namesRemovedModel(config)) return [warning(subject, removedModel, removeSetting)]
      return [indexFinding(lines.length, missing, embedderOf(database), configuredEmbedder)]
    } finally {
      database.close()
    }
  } catch (fault) {
    const reason = messageOf(fault)
    return [problem(subject, `${path}: ${reason}`, "remove the file and add the documents again")]
  }
}

function indexFinding(
  documents: number,
  missing: number,
  indexEmbedder: string | undefined,
  configuredEmbedder: string | undefined,
): Finding {
  const count = `${documents} documents`
  if (configuredEmbedder === undefined || documents === 0) return ok(subject, `${count}, full-text search`)
  if (indexEmbedder !== configuredEmbedder)
    return warning(subject, `${count}, full-text search only: no vectors of ${configuredEmbedder}`, addAgain)
  if (missing > 0) return warning(subject, `${count}; ${missing} passages without vectors`, addAgain)
  return ok(subject, `${count}, full-text and vector search (${configuredEmbedder})`)
}
