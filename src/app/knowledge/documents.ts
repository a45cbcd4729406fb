// The documents of a home: lists, removes and searches them. Errors that the user can fix become one line.
import { clusterOf, type Cluster } from "../cluster/cluster.ts"
import { existsSync } from "node:fs"
import { hasCode } from "../../config/faults.ts"
import type { Passage } from "../../contract/values.ts"
import { listDocuments, type DocumentLine } from "../../knowledge/index/catalogue.ts"
import { IndexFault, IndexOutdated, openForReading, openForWriting } from "../../knowledge/index/schema.ts"
import { IndexWriter } from "../../knowledge/index/writer.ts"
import { SourceFault } from "../../knowledge/ingest/source-fault.ts"
import type { Question } from "../../knowledge/search/search.ts"
import { ModelUnavailable } from "../../models/model-source.ts"
import { DatabaseFault } from "../../postgres/database-fault.ts"
import { AppFault, usageFault } from "../app-fault.ts"
import type { AppContext } from "../context.ts"
import { printNotice } from "../terminal.ts"
import { DocumentsUnavailable } from "./documents-unavailable.ts"
import { documentDatabase, indexPath, KnowledgeSources } from "../settings/knowledge.ts"

export interface ListedDocument extends DocumentLine {
  /** Where it was added; absent where documents are in the home only. */
  readonly node?: string
}

/** Of one organisation or of all, and of these sets if any are given. */
export async function listedDocuments(
  { home, config }: Pick<AppContext, "home" | "config">,
  org: string | undefined,
  sets: readonly string[] | undefined,
): Promise<readonly ListedDocument[]> {
  const url = documentDatabase(config)
  const all = await (url === undefined ? documentsOfHome(home, org) : withReadableFaults(() => sharedLines(url, org)))
  return sets === undefined ? all : all.filter((line) => sets.some((set) => line.sets.includes(set)))
}

async function documentsOfHome(home: string, org: string | undefined): Promise<readonly ListedDocument[]> {
  await bringUpToDate(home)
  return withReadableFaults(() => {
    const database = openForReading(indexPath(home))
    if (database === undefined) return []
    try {
      return listDocuments(database, org)
    } finally {
      database.close()
    }
  })
}

async function sharedLines(url: string, org: string | undefined): Promise<readonly ListedDocument[]> {
  const { sharedDocumentLines } = await import("./shared-documents.ts")
  return sharedDocumentLines(url, org)
}

/** Rebuilds an index of an older release before a command reads it. */
export async function bringUpToDate(home: string): Promise<void> {
  await withReadableFaults(() => {
    try {
      openForReading(indexPath(home))?.close()
    } catch (fault) {
      if (!(fault instanceof IndexOutdated)) throw fault
      printNotice("turnhouse: rebuilding the index of an older release")
      openForWriting(indexPath(home)).close()
    }
  })
}

/** All of them or none. */
export async function removeDocuments(context: AppContext, org: string, names: readonly string[]): Promise<void> {
  const cluster = clusterOf(context)
  if (cluster !== undefined) return removeShared(context, cluster, org, names)
  const { home } = context
  if (!existsSync(indexPath(home))) throw unknownDocument(names[0] ?? "", org)
  const writer = await withReadableFaults(() => new IndexWriter(indexPath(home)))
  try {
    const unknown = names.find((name) => !writer.has(org, name))
    if (unknown !== undefined) throw unknownDocument(unknown, org)
    for (const name of names) writer.remove(org, name)
  } finally {
    writer.close()
  }
}

/** On every node. */
async function removeShared(
  context: AppContext,
  cluster: Cluster,
  org: string,
  names: readonly string[],
): Promise<void> {
  await withReadableFaults(async () => {
    const { removeEverywhere } = await import("./shared-documents.ts")
    const unknown = await removeEverywhere(
      context,
      cluster,
      names.map((name) => ({ org, name })),
    )
    if (unknown !== undefined) throw unknownDocument(unknown.name, org)
  })
}

function unknownDocument(name: string, org: string): AppFault {
  return new AppFault(`no document '${name}' in ${org}. 'turnhouse knowledge ls' lists them.`)
}

/** What an agent would find. */
export async function searchDocuments({ home, config }: AppContext, question: Question): Promise<readonly Passage[]> {
  if (documentDatabase(config) === undefined) await bringUpToDate(home)
  const knowledge = new KnowledgeSources(home)
  try {
    return await withReadableFaults(() => knowledge.for(config).source.search(question))
  } finally {
    await knowledge.close()
  }
}

/** A wrong path, an unusable index, an unavailable model. */
export async function withReadableFaults<Value>(work: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (fault) {
    if (fault instanceof SourceFault) throw usageFault(fault.message)
    if (fault instanceof IndexFault || fault instanceof ModelUnavailable) throw new AppFault(fault.message)
    if (fault instanceof DatabaseFault)
      throw new DocumentsUnavailable(`${sentence(fault.message)} Documents are stored there.`)
    if (isDiskFull(fault)) throw new AppFault("the disk is full. What was read before is in the index.")
    throw fault
  }
}

function sentence(text: string): string {
  return text.endsWith(".") ? text : `${text}.`
}

/** SQLITE_FULL, or a file that cannot grow. */
function isDiskFull(fault: unknown): boolean {
  if (!(fault instanceof Error)) return false
  return hasCode(fault, "ENOSPC") || ("errcode" in fault && fault.errcode === 13)
}
