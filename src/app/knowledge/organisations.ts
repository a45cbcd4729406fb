// For which organisation documents are added. In a home that serves visitors the user has to say it: a guess would show
// documents to the wrong people, or to no one.
import type { DatabaseSync } from "node:sqlite"
import type { Config } from "../../contract/config.ts"
import { usageFault } from "../app-fault.ts"

/** That of local sessions. */
export const localOrg = "local"
/** That of visitors without a token. */
const visitorOrg = "public"

export interface NamedOrganisation {
  /** With --org. */
  readonly named: string | undefined
  readonly roots: readonly string[]
  /** Organisations with documents of other nodes. */
  readonly others?: readonly string[] | undefined
}

/** A known source keeps its organisation. */
export function organisationFor(
  database: DatabaseSync,
  config: Config,
  { named, roots, others = [] }: NamedOrganisation,
): string {
  if (named !== undefined) return named
  const choices = organisationsOf(database, config, others)
  if (choices.length === 0) return localOrg
  const known = organisationsWith(database, roots)
  if (known !== undefined) return known
  const list = [...choices, localOrg].map((org) => `--org ${org}${meaningOf(org)}`)
  throw usageFault(`say who may find the documents: ${list.slice(0, -1).join(", ")} or ${list.at(-1)}`)
}

/** Besides that of local sessions; empty in a home without visitors. */
function organisationsOf(
  database: DatabaseSync,
  { agents = {}, server }: Config,
  others: readonly string[],
): readonly string[] {
  const indexed = database
    .prepare("select distinct org from sources")
    .all()
    .map((row) => String(row["org"]))
  const embedded = Object.values(agents).flatMap(({ embed }) => embed?.org ?? [])
  const served = Object.keys(agents).length > 0 || server?.auth !== undefined ? [visitorOrg] : []
  return [...new Set([...served, ...embedded, ...indexed, ...others])].filter((org) => org !== localOrg)
}

/** Where all of these sources are in the same one. */
function organisationsWith(database: DatabaseSync, roots: readonly string[]): string | undefined {
  const rows = roots.map((root) => database.prepare("select org from sources where root = ?").all(root))
  const orgs = new Set(rows.flat().map((row) => String(row["org"])))
  const [only] = orgs
  return orgs.size === 1 && rows.every(({ length }) => length === 1) ? only : undefined
}

function meaningOf(org: string): string {
  if (org === visitorOrg) return " (visitors without a token)"
  return org === localOrg ? " (your own sessions)" : ""
}
