// Classes of access rights in PostgreSQL. The server is asked only for those that the searcher may see.
import type { Queries } from "../../postgres/database.ts"
import { numberIn, textIn } from "../../postgres/row.ts"
import type { RightsClass } from "../index/classes.ts"
import { audienceKey, audienceOf, type Audience, type Rights } from "../rights.ts"

/** `$1`: organisation; `$2`: groups, null for every document that is not locked. */
const isAllowed = `org = $1 and passages > 0
  and (groups is null or case when $2::text[] is null then cardinality(groups) > 0 else groups && $2::text[] end)`

export async function allowedClasses(queries: Queries, { org, groups }: Rights): Promise<readonly RightsClass[]> {
  const rows = await queries.query(
    `select id, org, audience, passages, terms, changes from turnhouse.document_classes where ${isAllowed} order by id`,
    [org, groups === "all" ? null : [...groups]],
  )
  return rows.map((row) => ({
    id: numberIn(row, "id"),
    org: textIn(row, "org"),
    audience: audienceOf(textIn(row, "audience")),
    passages: numberIn(row, "passages"),
    terms: numberIn(row, "terms"),
    changes: numberIn(row, "changes"),
  }))
}

/** Within a transaction that holds the lock of writers. */
export async function ensureClass(queries: Queries, org: string, audience: Audience): Promise<number> {
  const key = audienceKey(audience)
  const select = "select id from turnhouse.document_classes where org = $1 and audience = $2"
  const [known] = await queries.query(select, [org, key])
  if (known !== undefined) return numberIn(known, "id")
  const groups = audience === undefined ? null : [...new Set(audience)]
  await queries.query("insert into turnhouse.document_classes (org, audience, groups) values ($1, $2, $3)", [
    org,
    key,
    groups,
  ])
  const [made] = await queries.query(select, [org, key])
  if (made === undefined) throw new Error("a class of access rights was not created")
  return numberIn(made, "id")
}

export async function countInClass(
  queries: Queries,
  classId: number,
  { passages, terms }: { readonly passages: number; readonly terms: number },
): Promise<void> {
  await queries.query(
    `update turnhouse.document_classes set passages = passages + $2, terms = terms + $3, changes = changes + 1
     where id = $1`,
    [classId, passages, terms],
  )
}
