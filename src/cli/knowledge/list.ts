// `turnhouse knowledge ls`: lists the documents of the index and their audience.
import { listDocuments, type DocumentLine } from "../../knowledge/index/catalogue.ts"
import { openForReading } from "../../knowledge/index/schema.ts"
import type { Args } from "../command.ts"
import { exitCodes } from "../../app/app-fault.ts"
import { indexPath } from "../../app/settings/knowledge.ts"
import { loadContextLeniently } from "../../app/context.ts"
import { table, type Columns, writeJson } from "../output.ts"
import { oneLine } from "../../contract/text/text.ts"
import { withReadableFaults } from "./explained.ts"
import { namesIn } from "./options.ts"

export async function list(args: Args): Promise<number> {
  const { home } = await loadContextLeniently()
  const sets = namesIn(args, "set")
  const documents = await withReadableFaults(() => documentsOf(home, args.text("org"), sets))
  if (args.flag("json")) writeJson(documents.map(shown))
  else process.stdout.write(text(documents))
  return exitCodes.done
}

function documentsOf(
  home: string,
  org: string | undefined,
  sets: readonly string[] | undefined,
): readonly DocumentLine[] {
  const database = openForReading(indexPath(home))
  if (database === undefined) return []
  try {
    const all = listDocuments(database, org)
    return sets === undefined ? all : all.filter((line) => sets.some((set) => line.sets.includes(set)))
  } finally {
    database.close()
  }
}

const shownColumns: Columns<DocumentLine> = {
  DOCUMENT: ({ name }) => oneLine(name, 80),
  ORGANISATION: ({ org }) => oneLine(org, 30),
  AUDIENCE: (line) => oneLine(audienceText(line), 40),
  SETS: ({ sets }) => oneLine(sets.join(", "), 40),
  PASSAGES: ({ passages }) => String(passages),
  EMBEDDED: ({ embedded, passages }) => (embedded === passages ? "yes" : `${embedded} of ${passages}`),
}

function text(documents: readonly DocumentLine[]): string {
  if (documents.length === 0) return "No documents. 'turnhouse knowledge add PATH' adds some.\n"
  return table(documents, shownColumns)
}

function audienceText({ audience }: DocumentLine): string {
  if (audience === undefined) return "everyone"
  return audience.length === 0 ? "no one" : audience.join(", ")
}

function shown({ name, audience, ...rest }: DocumentLine) {
  return { id: name, ...rest, audience: audience ?? null }
}
