// What the panel of documents says about one. Pure.
import type { DocumentEntry } from "../../../../src/contract/views/documents.ts"

/** A passage of a document. */
export interface DocumentPlace {
  readonly org: string
  readonly name: string
  /** Absent: from its beginning. */
  readonly ordinal?: number
}

/** The organisation of sessions that are started on the server's computer. */
export const LOCAL = "local"

/** For whom it is visible. */
export function audienceText({ org, audience }: Pick<DocumentEntry, "org" | "audience">): string {
  const place = org === LOCAL ? "sessions of this computer" : `organisation ${org}`
  if (audience === undefined) return org === LOCAL ? place : `everyone in ${place}`
  return audience.length === 0 ? `no one (locked) in ${place}` : `only ${audience.join(", ")} in ${place}`
}

export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(0)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
