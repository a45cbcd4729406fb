// Something that can become a document: where it is, and how its bytes and its words are got. Nothing is read before it
// is asked for.
import type { Audience } from "../rights.ts"

export interface Source {
  /** Its path relative to what was added. */
  readonly name: string
  readonly place: string
  /** What was added. */
  readonly root: string
  /** For pages of the web. */
  readonly url: string | undefined
  mark(): Promise<Mark>
  /** In pieces; a plain text is never in memory as a whole. */
  words(): AsyncIterable<string>
}

export interface Mark {
  /** SHA-256 of the bytes: what is the same is not indexed again. */
  readonly hash: string
  readonly bytes: number
}

/** For whom documents are added. What is left open stays as it is recorded; a new document is then for everybody. */
export interface AddWish {
  readonly org: string
  readonly audience: { readonly groups: Audience } | undefined
  readonly sets: readonly string[] | undefined
}
