// Names of accounts: callers and organisations. Those that all nodes share are keyed digests, since an account may be the
// address of a visitor. Remembers some, because a name is needed with every frame.
import { createHmac } from "node:crypto"

const MAX_REMEMBERED = 50_000
/** Begins no address and no digest. */
const ORG_PREFIX = "org:"

export function orgAccount(org: string): string {
  return ORG_PREFIX + org
}

/** Also of a digest. */
export function isOrgAccount(name: string): boolean {
  return name.startsWith(ORG_PREFIX)
}

export class AccountNames {
  readonly #key: Uint8Array
  readonly #names = new Map<string, string>()

  constructor(homeKey: Uint8Array) {
    this.#key = homeKey
  }

  of(account: string): string {
    return this.#name(`account\0${account}`)
  }

  ofOrg(org: string): string {
    return orgAccount(this.#name(`org\0${org}`))
  }

  #name(account: string): string {
    const known = this.#names.get(account)
    if (known !== undefined) return known
    if (this.#names.size >= MAX_REMEMBERED) this.#names.clear()
    const name = createHmac("sha256", this.#key).update(account).digest("base64url")
    this.#names.set(account, name)
    return name
  }
}
