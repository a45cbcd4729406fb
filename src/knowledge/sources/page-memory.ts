// What servers said about the pages of a source: with it an unchanged page is not sent again, and its links are known.
import type { DatabaseSync } from "node:sqlite"
import { tryParseJson } from "../../contract/json-object.ts"

export interface KnownPage {
  readonly etag: string | undefined
  readonly lastModified: string | undefined
  /** Addresses of the same site. */
  readonly links: readonly string[]
}

export interface PageMemory {
  get(address: string): KnownPage | undefined
  /** Called when the document of the page is stored. */
  set(address: string, page: KnownPage): void
}

/** Characters of a header that are kept. */
const MAX_HEADER = 500

export function pageMemory(database: DatabaseSync, source: number): PageMemory {
  return {
    get: (address) => {
      const row = database.prepare("select * from source_pages where source = ? and address = ?").get(source, address)
      if (row === undefined) return undefined
      const links = tryParseJson(String(row["links"]))
      return {
        etag: headerOf(row["etag"]),
        lastModified: headerOf(row["last_modified"]),
        links: Array.isArray(links) ? links.filter((link) => typeof link === "string") : [],
      }
    },
    set: (address, { etag, lastModified, links }) => {
      database
        .prepare(
          "insert or replace into source_pages (source, address, etag, last_modified, links) values (?, ?, ?, ?, ?)",
        )
        .run(source, address, kept(etag), kept(lastModified), JSON.stringify(links))
    },
  }
}

/** A header that is cut is no validator. */
function kept(header: string | undefined): string | null {
  return header === undefined || header.length > MAX_HEADER ? null : header
}

function headerOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined
}
