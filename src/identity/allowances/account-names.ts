// Names of accounts that all nodes share: keyed digests, since an account may be the address of a visitor. Remembers some,
// because a name is needed with every frame.
import { createHmac } from "node:crypto"

const MAX_REMEMBERED = 50_000

export class AccountNames {
  readonly #key: Uint8Array
  readonly #names = new Map<string, string>()

  constructor(homeKey: Uint8Array) {
    this.#key = homeKey
  }

  of(account: string): string {
    const known = this.#names.get(account)
    if (known !== undefined) return known
    if (this.#names.size >= MAX_REMEMBERED) this.#names.clear()
    const name = createHmac("sha256", this.#key).update(`account\0${account}`).digest("base64url")
    this.#names.set(account, name)
    return name
  }
}
