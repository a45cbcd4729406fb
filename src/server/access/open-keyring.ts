// The keys of a home: its owner's, and those that were given away as links.
import { Keyring } from "../../identity/keyring.ts"
import { LinkStore } from "../../identity/link-store.ts"
import { localUser } from "../../app/local-user.ts"

export function openKeyring(home: string, ownersKey: string): Keyring {
  return new Keyring(ownersKey, new LinkStore(home), localUser())
}
