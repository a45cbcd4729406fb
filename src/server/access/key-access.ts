// Who holds a key, a cookie or a share link at this server. What checks them is loaded with the first that is to be checked.
import type { AccessStores } from "../../identity/access-stores.ts"
import type { Keyring, KeyHolder } from "../../identity/keyring.ts"
import type { PostRoute } from "../http/http-server.ts"
import { bearerToken, type HttpRequest } from "../http/request.ts"
import type { IdentifiedCaller } from "./access-control.ts"
import type { BrowserAccess } from "./browser-access.ts"

export interface KeyAccessOptions {
  /** Opens what is stored about keys. Called once. */
  readonly openStores: () => Promise<AccessStores>
  /** The owner of the home, who may do everything. */
  readonly owner: { readonly key: string; readonly name: string }
}

export class KeyAccess {
  readonly #options: KeyAccessOptions
  #keys: Promise<Keyring> | undefined
  #browsers: Promise<BrowserAccess> | undefined
  #stores: Promise<AccessStores> | undefined

  constructor(options: KeyAccessOptions) {
    this.#options = options
  }

  keyring(): Promise<Keyring> {
    this.#keys ??= this.#openKeyring()
    return this.#keys
  }

  /** Undefined for a key that is not valid. */
  async holderOf(key: string): Promise<KeyHolder | undefined> {
    return (await this.keyring()).holderOf(key, Date.now())
  }

  async isOwner(key: string): Promise<boolean> {
    const holder = await this.holderOf(key)
    return holder !== undefined && holder.roles === undefined
  }

  /** A visitor with a share link instead of a token. */
  async linkCaller(request: HttpRequest): Promise<IdentifiedCaller | undefined> {
    const token = request.query.get("token") ?? bearerToken(request)
    if (token?.startsWith("lnk_") !== true) return undefined
    const grant = await (await this.keyring()).grantOf(token, Date.now())
    if (grant === undefined) return undefined
    const { name, sessionId: granted, expiresAt } = grant
    const isValid = () => grant.isValid(Date.now())
    return { caller: { principal: name, org: "", owner: "", account: name, granted, isValid }, expiresAt }
  }

  /** The key in the cookie of a browser. */
  async cookieKey({ headers }: HttpRequest): Promise<string | undefined> {
    return headers.cookie === undefined ? undefined : (await this.#browserAccess()).keyIn(headers)
  }

  posts(): Readonly<Record<string, PostRoute>> {
    return {
      "/sign-in": async (request, body) => (await this.#browserAccess()).signIn(request, body),
      "/sign-out": async (request) => (await this.#browserAccess()).signOut(request),
    }
  }

  async close(): Promise<void> {
    await (await this.#stores)?.close()
  }

  async #openKeyring(): Promise<Keyring> {
    const { owner } = this.#options
    const [{ Keyring }, { links }] = await Promise.all([import("../../identity/keyring.ts"), this.#openStores()])
    return new Keyring(owner.key, links, owner.name)
  }

  #browserAccess(): Promise<BrowserAccess> {
    this.#browsers ??= this.#openBrowserAccess()
    return this.#browsers
  }

  async #openBrowserAccess(): Promise<BrowserAccess> {
    const { owner } = this.#options
    const [module, { links, signIns }] = await Promise.all([import("./browser-access.ts"), this.#openStores()])
    return new module.BrowserAccess({ links, signIns, consoleKey: owner.key, now: Date.now })
  }

  #openStores(): Promise<AccessStores> {
    this.#stores ??= this.#options.openStores()
    return this.#stores
  }
}
