// What is stored about the owner's browsers and share links: in the home, or in PostgreSQL for all nodes of a cluster.
import type { LinkStore } from "./links/link-store.ts"
import type { SignInCodes } from "./sign-in/sign-in-codes.ts"

export interface AccessStores {
  readonly links: LinkStore
  readonly signIns: SignInCodes
  close(): Promise<void>
}
