// The documents of a home: lists, removes and searches them. Errors that the user can fix become one line.
import { hasCode } from "../../config/faults.ts"
import type { Passage } from "../../contract/values.ts"
import { listDocuments, type DocumentLine } from "../../knowledge/index/catalogue.ts"
import { IndexFault, IndexOutdated, openForReading, openForWriting } from "../../knowledge/index/schema.ts"
import { IndexWriter } from "../../knowledge/index/writer.ts"
import { SourceFault } from "../../knowledge/ingest/source-fault.ts"
import type { Question } from "../../knowledge/search/search.ts"
import { ModelUnavailable } from "../../models/model-source.ts"
import { AppFault, usageFault } from "../app-fault.ts"
import type { AppContext } from "../context.ts"
import { printNotice } from "../terminal.ts"
import { indexPath, KnowledgeSources } from "../settings/knowledge.ts"

export type ListedDocument = DocumentLine

/** Of one organisation or of all, and of these sets if any are given. */
export async function listedDocuments(
  home: string,
  org: string | undefined,
  sets: readonly string[] | undefined,
): Promise<readonly ListedDocument[]> {
  await bringUpToDate(home)
  return withReadableFaults(() => {
    const database = openForReading(indexPath(home))
    if (database === undefined) return []
    try {
      const all = listDocuments(database, org)
      return sets === undefined ? all : all.filter((line) => sets.some((set) => line.sets.includes(set)))
    } finally {
      database.close()
    }
  })
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
export async function removeDocuments(
  { home, config }: AppContext,
  org: string,
  names: readonly string[],
): Promise<void> {
  const missing = (name: string) =>
    new AppFault(`no document '${name}' in ${org}. 'turnhouse knowledge ls' lists them.`)
  if (!new KnowledgeSources(home).for(config).source.exists) throw missing(names[0] ?? "")
  const writer = await withReadableFaults(() => new IndexWriter(indexPath(home)))
  try {
    const unknown = names.find((name) => !writer.has(org, name))
    if (unknown !== undefined) throw missing(unknown)
    for (const name of names) writer.remove(org, name)
  } finally {
    writer.close()
  }
}

/** What an agent would find. */
export async function searchDocuments({ home, config }: AppContext, question: Question): Promise<readonly Passage[]> {
  await bringUpToDate(home)
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
    if (isDiskFull(fault)) throw new AppFault("the disk is full. What was read before is in the index.")
    throw fault
  }
}

/** SQLITE_FULL, or a file that cannot grow. */
function isDiskFull(fault: unknown): boolean {
  if (!(fault instanceof Error)) return false
  return hasCode(fault, "ENOSPC") || ("errcode" in fault && fault.errcode === 13)
}
