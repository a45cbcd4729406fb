// Classes of access rights. Each stores its own passage and term counts, so that no other class influences a score.
import type { DatabaseSync, SQLOutputValue } from "node:sqlite"
import { audienceKey, audienceOf, mayFind, type Audience, type Rights } from "../rights.ts"

export interface RightsClass {
  readonly id: number
  readonly org: string
  readonly audience: Audience
  readonly passages: number
  /** Terms of the texts of all its passages. */
  readonly terms: number
  /** Incremented by every change, so that readers can invalidate caches. */
  readonly changes: number
}

export function ensureClass(database: DatabaseSync, org: string, audience: Audience): number {
  const key = audienceKey(audience)
  const known = database.prepare("select id from classes where org = ? and audience = ?").get(org, key)
  if (known !== undefined) return Number(known["id"])
  const { lastInsertRowid } = database.prepare("insert into classes (org, audience) values (?, ?)").run(org, key)
  return Number(lastInsertRowid)
}

export function allowedClasses(database: DatabaseSync, rights: Rights): readonly RightsClass[] {
  return database
    .prepare("select * from classes where org = ? and passages > 0 order by id")
    .all(rights.org)
    .map(classOf)
    .filter(({ audience }) => mayFind(rights, audience))
}

function classOf(row: Record<string, SQLOutputValue>): RightsClass {
  return {
    id: Number(row["id"]),
    org: String(row["org"]),
    audience: audienceOf(String(row["audience"])),
    passages: Number(row["passages"]),
    terms: Number(row["terms"]),
    changes: Number(row["changes"]),
  }
}
