// `turnhouse knowledge ls|rm|search`.
import { exitCodes, usageFault } from "../../app/app-fault.ts"
import { loadContextLeniently } from "../../app/context.ts"
import {
  listedDocuments,
  removeDocuments,
  searchDocuments,
  type ListedDocument,
} from "../../app/knowledge/documents.ts"
import { styled } from "../../app/terminal.ts"
import { oneLine, printable } from "../../contract/text/text.ts"
import type { Passage } from "../../contract/values.ts"
import type { Args } from "../command.ts"
import { contextWithWarnings } from "../context-options.ts"
import { printResult, table, writeJson, type Columns } from "../output.ts"
import { audienceText, namesIn, orgIn } from "./options.ts"

const usualLimit = 5
const MAX_PASSAGES = 50
/** Characters of a name that are shown; file names may contain anything. */
const longestName = 200

export async function list(args: Args): Promise<number> {
  const documents = await listedDocuments(await loadContextLeniently(), args.text("org"), namesIn(args, "set"))
  if (args.flag("json")) writeJson(documents.map(shown))
  else if (documents.length > 0) process.stdout.write(table(documents, columnsFor(documents)))
  else process.stdout.write("No documents. 'turnhouse knowledge add PATH' adds some.\n")
  return exitCodes.done
}

export async function remove(positionals: readonly string[], args: Args): Promise<number> {
  const names = [...new Set(positionals)]
  await removeDocuments(await loadContextLeniently(), orgIn(args), names)
  return printResult(args, { removed: names }, () => `${names.length} removed\n`)
}

/** Without groups a search has the rights of a local user. */
export async function search(text: string, args: Args): Promise<number> {
  const context = await contextWithWarnings(args)
  const rights = { org: orgIn(args), groups: namesIn(args, "audience") ?? ("all" as const) }
  const question = { text, limit: limitIn(args), rights, sets: namesIn(args, "set") ?? [] }
  const passages = await searchDocuments(context, question)
  return printResult(args, passages, () => passages.map(passageText).join("\n") || "No passages found.\n")
}

const shownColumns: Columns<ListedDocument> = {
  DOCUMENT: ({ name }) => oneLine(name, 80),
  ORGANISATION: ({ org }) => oneLine(org, 30),
  AUDIENCE: ({ audience }) => oneLine(audienceText(audience), 40),
  SETS: ({ sets }) => oneLine(sets.join(", "), 40),
  PASSAGES: ({ passages }) => String(passages),
}

const nodeColumn: Columns<ListedDocument> = { NODE: ({ node }) => oneLine(node ?? "", 40) }

/** Without search by meaning, which is the default, there are no vectors. */
function columnsFor(documents: readonly ListedDocument[]): Columns<ListedDocument> {
  const columns = documents.some(({ node }) => node !== undefined) ? { ...shownColumns, ...nodeColumn } : shownColumns
  if (documents.every(({ embedded }) => embedded === 0)) return columns
  return {
    ...columns,
    EMBEDDED: ({ embedded, passages }) => (embedded === passages ? "yes" : `${embedded} of ${passages}`),
  }
}

function shown({ name, audience, ...rest }: ListedDocument) {
  return { id: name, ...rest, audience: audience ?? null }
}

function limitIn(args: Args): number {
  const text = args.text("limit") ?? String(usualLimit)
  const limit = Number(text)
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PASSAGES)
    throw usageFault(`--limit: '${text}' is not a number from 1 to ${MAX_PASSAGES}`)
  return limit
}

function passageText({ title, url, score, snippet }: Passage): string {
  const place = url === undefined || url === title ? "" : `  ${oneLine(url, longestName)}`
  const head = `${score.toFixed(2)}  ${oneLine(title, longestName)}${place}`
  const text = printable(snippet)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join("\n      ")
  return `${styled("bold", head, process.stdout)}\n      ${text}\n`
}
