// Adds sources of documents and reads them. Documents are searchable once they are read; what an interrupted command has
// read stays, and the same command continues.
import { messageOf } from "../../contract/faults.ts"
import { SourceFault } from "../../knowledge/ingest/source-fault.ts"
import { namePrefix, type NewPlace } from "../../knowledge/sources/name-prefix.ts"
import { placementOf, repositoryPrefix, type Wishes } from "../../knowledge/sources/placement.ts"
import {
  documentNames,
  listSources,
  putSource,
  removeSource,
  type RegisteredSource,
} from "../../knowledge/sources/registry.ts"
import { runSource, type RunReport, type RunRequest, type RunTools } from "../../knowledge/sources/run-source.ts"
import { SourceBusy } from "../../knowledge/sources/runs.ts"
import type { AppContext } from "../context.ts"
import { embedAll, type EmbeddedPassages } from "./embed-all.ts"
import { withIndex, type IndexWork } from "./open-index.ts"
import { organisationFor } from "./organisations.ts"
import { targetOf, type NamedKind, type SourceTarget } from "./source-target.ts"

export interface AddRequest extends IndexWork, Wishes {
  /** Files, folders, addresses, or files with addresses. */
  readonly names: readonly string[]
  readonly as: NamedKind | undefined
  readonly org: string | undefined
  readonly maxPages: number | undefined
  readonly maxDepth: number | undefined
  /** Documents are removed although nothing at all was found. */
  readonly acceptsEmpty: boolean
}

export interface ReadSource {
  readonly id: number
  readonly kind: string
  readonly location: string
  readonly org: string
  readonly outcome: RunReport["outcome"]
  readonly note?: string
}

export interface AddedDocuments extends EmbeddedPassages {
  readonly added: string[]
  readonly changed: string[]
  unchanged: number
  readonly removed: string[]
  readonly refused: { readonly id: string; readonly why: string }[]
  /** Files in folders that are of no known kind, and the names of the first of them. */
  readonly skipped: { count: number; readonly names: string[] }
  /** Not found, but still in the index. */
  readonly gone: string[]
  passages: number
  bytes: number
  readonly sources: ReadSource[]
  /** What happened beside the documents, such as that a folder is part of a known one. */
  readonly notes: string[]
}

const MAX_SKIPPED_NAMES = 20

export function emptySum(): AddedDocuments {
  return {
    added: [],
    changed: [],
    unchanged: 0,
    removed: [],
    refused: [],
    skipped: { count: 0, names: [] },
    gone: [],
    passages: 0,
    bytes: 0,
    embedded: 0,
    sources: [],
    notes: [],
  }
}

export function addToIndex(context: AppContext, request: AddRequest): Promise<AddedDocuments> {
  return withIndex(context, request, async (tools, shared) => {
    const targets = await Promise.all(request.names.map((name) => targetOf(name, request.as)))
    checkOptions(targets, request)
    const { writer, redactor } = tools
    const roots = targets.map(({ root }) => redactor.text(root))
    const others = await shared?.organisations()
    const org = organisationFor(writer.database, context.config, { named: request.org, roots, others })
    const sum = emptySum()
    for (const target of targets) {
      if (!request.signal.aborted) await addTarget(tools, target, { ...request, org }, sum)
    }
    writer.flush()
    await embedAll(writer, context, request, sum)
    return sum
  })
}

type Addition = AddRequest & { readonly org: string }

/** An option that has no effect is refused. */
function checkOptions(targets: readonly SourceTarget[], { include, exclude, maxPages, maxDepth }: AddRequest): void {
  const kinds = targets.map(({ kind }) => kind)
  if ((include ?? exclude) !== undefined && !kinds.every((kind) => ["folder", "site", "git"].includes(kind)))
    throw new SourceFault("--include and --exclude work with folders, sites and repositories")
  if ((maxPages ?? maxDepth) !== undefined && !kinds.every((kind) => kind === "site"))
    throw new SourceFault("--max-pages and --max-depth work with sites: knowledge add ADDRESS --as site")
}

async function addTarget(tools: RunTools, target: SourceTarget, wishes: Addition, sum: AddedDocuments): Promise<void> {
  const { writer, redactor } = tools
  const { database } = writer
  const { org, audience, sets, acceptsEmpty } = wishes
  const root = redactor.text(target.root)
  const known = listSources(database, org)
  const own = known.find((one) => one.root === root)
  const request = { location: target.root, audience, sets, acceptsEmpty }
  const { kind } = target
  if (kind !== "file" && kind !== "folder") {
    const taken = known.flatMap(({ kind: other, prefix, root: place }) =>
      other === "git" && place !== root ? prefix : [],
    )
    const prefix = kind === "git" ? (own?.kind === kind ? own.prefix : repositoryPrefix(root, taken)) : ""
    return run(tools, register(tools, { kind, root, prefix, own }, wishes), request, { sum, isNew: own === undefined })
  }
  const placement = placementOf({ kind, root }, wishes, known)
  if (placement.kind === "part") {
    sum.notes.push(`${root} is part of the source ${placement.of.root}`)
    const { part, of } = placement
    return run(tools, of, { audience, sets, part, acceptsEmpty }, { sum, isNew: false })
  }
  const { inside, absorbed, kept } = placement
  const prefix =
    own === undefined && inside === undefined
      ? await freePrefix(
          tools,
          { kind, root },
          wishes,
          known.filter((one) => !absorbed.includes(one)),
        )
      : placement.prefix
  if (prefix !== placement.prefix)
    sum.notes.push(`other documents have the same names; those of ${root} begin with ${prefix}`)
  const source = register(tools, { kind, root, prefix, own }, wishes)
  if (inside !== undefined && own === undefined)
    sum.notes.push(`${root} is inside of the source ${inside.root}, which leaves it out from now on`)
  for (const one of absorbed) absorb(tools, one, sum)
  for (const one of kept) sum.notes.push(`the source ${one.root} keeps its own rights and schedule`)
  return run(tools, source, request, { sum, isNew: own === undefined })
}

/** A place that cannot be read has no documents; the run says why. */
async function freePrefix(
  { writer, extractor }: RunTools,
  place: Pick<NewPlace, "kind" | "root">,
  { org, include = [], exclude = [] }: Addition,
  known: readonly RegisteredSource[],
): Promise<string> {
  try {
    return await namePrefix(writer.database, { ...place, org, include, exclude }, known, extractor)
  } catch (fault) {
    if (fault instanceof SourceFault) return ""
    throw fault
  }
}

interface Registration extends SourceTarget {
  readonly prefix: string
  readonly own: RegisteredSource | undefined
}

function register(
  { writer, now }: RunTools,
  { kind, root, prefix, own }: Registration,
  wishes: Addition,
): RegisteredSource {
  const { org, audience, sets, everyMs, include, exclude, maxPages, maxDepth } = wishes
  writer.flush()
  const before = own?.options
  const source = {
    org,
    kind,
    root,
    prefix,
    audience: audience === undefined ? own?.audience : audience.groups,
    sets: sets ?? own?.sets ?? [],
    options: {
      include: include ?? before?.include ?? [],
      exclude: exclude ?? before?.exclude ?? [],
      maxPages: maxPages ?? before?.maxPages,
      maxDepth: maxDepth ?? before?.maxDepth,
    },
    everyMs: everyMs === "never" ? undefined : (everyMs ?? own?.everyMs),
  }
  return putSource(writer.database, source, now())
}

/** Its documents are read again under their names in the folder around it. */
function absorb({ writer }: RunTools, source: RegisteredSource, sum: AddedDocuments): void {
  for (const name of documentNames(writer.database, source)) writer.remove(source.org, name)
  removeSource(writer.database, source.id)
  sum.notes.push(`the source ${source.root} is part of it now`)
}

interface Addressee {
  readonly sum: AddedDocuments
  readonly isNew: boolean
}

async function run(
  tools: RunTools,
  source: RegisteredSource,
  request: RunRequest,
  { sum, isNew }: Addressee,
): Promise<void> {
  try {
    const report = await runSource(tools, source, request)
    addReport(sum, report)
    const isUnread = report.outcome === "failed" && documentNames(tools.writer.database, source).length === 0
    if (isNew && isUnread) removeSource(tools.writer.database, source.id)
  } catch (fault) {
    if (!(fault instanceof SourceBusy)) throw fault
    sum.refused.push({ id: source.root, why: messageOf(fault) })
  }
}

export function addReport(sum: AddedDocuments, report: RunReport): void {
  const { source, outcome, note, added, changed, unchanged, removed, gone, problems, skipped, passages, bytes } = report
  sum.added.push(...added)
  sum.changed.push(...changed)
  sum.unchanged += unchanged
  sum.removed.push(...removed)
  sum.gone.push(...gone)
  sum.skipped.count += skipped.count
  sum.skipped.names.push(...skipped.names.slice(0, MAX_SKIPPED_NAMES - sum.skipped.names.length))
  sum.refused.push(...problems.map(({ name, reason }) => ({ id: name, why: reason })))
  if (outcome === "failed" && gone.length === 0) sum.refused.push({ id: source.root, why: note ?? "it failed" })
  sum.passages += passages
  sum.bytes += bytes
  const { id, kind, root: location, org } = source
  sum.sources.push({ id, kind, location, org, outcome, ...(note === undefined ? {} : { note }) })
}
