// The keys of a home: its owner's, and those of share links.
import { Keyring } from "../../identity/keyring.ts"
import { LinkStore } from "../../identity/link-store.ts"

export function openKeyring(home: string, owner: { readonly key: string; readonly name: string }): Keyring {
  return new Keyring(owner.key, new LinkStore(home), owner.name)
}
