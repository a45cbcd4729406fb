// `turnhouse knowledge ls`: what is in the index, and for whom.
import { listDocuments, type DocumentLine } from "../../knowledge/index/catalogue.ts"
import { openForReading } from "../../knowledge/index/schema.ts"
import type { Args } from "../command.ts"
import { exitCodes } from "../../app/exit-codes.ts"
import { indexPath } from "../../app/settings/knowledge.ts"
import { loadContextLeniently } from "../../app/context.ts"
import { table } from "../table.ts"
import { oneLine } from "../../contract/printable.ts"
import { writeJson } from "../write-json.ts"
import { explained } from "./explained.ts"
import { namesIn } from "./options.ts"

export async function list(args: Args): Promise<number> {
  const { home } = await loadContextLeniently()
  const sets = namesIn(args, "set")
  const documents = await explained(() => documentsOf(home, args.text("org"), sets))
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

function text(documents: readonly DocumentLine[]): string {
  if (documents.length === 0) return "There are no documents. 'turnhouse knowledge add PATH' brings some.\n"
  const rows = documents.map((line) => [
    oneLine(line.name, 80),
    oneLine(line.org, 30),
    oneLine(audienceText(line), 40),
    oneLine(line.sets.join(", "), 40),
    String(line.passages),
    line.embedded === line.passages ? "yes" : `${line.embedded} of ${line.passages}`,
  ])
  return table(["DOCUMENT", "ORGANISATION", "AUDIENCE", "SETS", "PASSAGES", "BY MEANING"], rows)
}

function audienceText({ audience }: DocumentLine): string {
  if (audience === undefined) return "everybody"
  return audience.length === 0 ? "nobody" : audience.join(", ")
}

function shown({ name, audience, ...rest }: DocumentLine) {
  return { id: name, ...rest, audience: audience ?? null }
}
