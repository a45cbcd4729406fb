// A potential document: its location, and functions that read its bytes and text on demand.
import type { Audience } from "../rights.ts"

export interface Source {
  /** Path relative to what was added. */
  readonly name: string
  readonly place: string
  /** The added path. */
  readonly root: string
  /** For web pages. */
  readonly url: string | undefined
  mark(): Promise<Mark>
  /** Streamed: plain text is never in memory as a whole. */
  words(): AsyncIterable<string>
}

export interface Mark {
  /** SHA-256 of the bytes: unchanged documents are skipped. */
  readonly hash: string
  readonly bytes: number
}

/** Audience of added documents. Omitted fields keep their stored value; a new document is visible to its organisation. */
export interface AddWish {
  readonly org: string
  readonly audience: { readonly groups: Audience } | undefined
  readonly sets: readonly string[] | undefined
}
