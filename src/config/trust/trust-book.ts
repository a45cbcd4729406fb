// The list of trusted folders: `trust.json` in the home. A lost revocation would leave a folder trusted, so it is changed
// under a lock.
import { isObject } from "../../contract/json-object.ts"
import { changeBook, readBook, type BookFormat } from "../home-book.ts"

export interface Trusted {
  readonly digest: string
  readonly at: string
}

export interface TrustedFolder extends Trusted {
  readonly folder: string
}

export interface TrustBook {
  readonly folders: Map<string, Trusted>
  readonly warnings: readonly string[]
}

const format: BookFormat<Trusted> = {
  file: "trust.json",
  member: "folders",
  entryOf: trustedFrom,
  effect: "so no folder is trusted",
  content: "trusted folders",
}

export function readTrustBook(home: string): TrustBook {
  const { entries: folders, warnings } = readBook(home, format)
  return { folders, warnings }
}

/** The home folder must exist. `tries`: attempts to get the lock. */
export function changeTrustBook<Value>(
  home: string,
  change: (folders: Map<string, Trusted>) => Value,
  tries?: number,
): Promise<Value> {
  return changeBook(home, format, change, tries)
}

function trustedFrom(known: unknown): Trusted {
  const { digest, at } = isObject(known) ? known : {}
  if (typeof digest !== "string" || typeof at !== "string") throw new SyntaxError("not a trusted folder")
  return { digest, at }
}
