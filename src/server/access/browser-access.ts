// Browsers of the owner. A page of this server exchanges a single-use code for a cookie, which holds the key of a link with
// the role owner: it expires, and `turnhouse link --revoke` signs the browser out. Pages of other origins, also of other
// ports of this machine, get nothing for the cookie.
import { createHash } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import { isObject, tryParseJson } from "../../contract/json-object.ts"
import { createLinkKey, newLinkId } from "../../identity/links/link-key.ts"
import type { LinkStore } from "../../identity/links/link-store.ts"
import type { SignInCodes } from "../../identity/sign-in/sign-in-codes.ts"
import { cookieIn, type HttpRequest, type Reply } from "../http/request.ts"

export interface BrowserAccessOptions {
  readonly links: LinkStore
  readonly signIns: SignInCodes
  readonly consoleKey: string
  readonly now: () => number
}

const COOKIE_SECONDS = 30 * 86_400

export class BrowserAccess {
  readonly #options: BrowserAccessOptions

  constructor(options: BrowserAccessOptions) {
    this.#options = options
  }

  async signIn({ headers }: HttpRequest, body: string): Promise<Reply> {
    if (!isOwnPage(headers)) return refused(403, "Only a page of this server can sign in.")
    const fields = tryParseJson(body)
    const code = isObject(fields) ? fields["code"] : undefined
    if (typeof code !== "string") return refused(400, 'The body must be {"code": CODE}.')
    const redeemed = await this.#options.signIns.redeem(code)
    if (redeemed === "signed-in") return this.#signedIn(headers)
    const what = redeemed === "expired" ? "This sign-in link has expired." : "This sign-in link was already used."
    return refused(410, `${what} 'turnhouse link' prints another one.`)
  }

  async signOut({ headers }: HttpRequest): Promise<Reply> {
    if (!isOwnPage(headers)) return refused(403, "Only a page of this server can sign out.")
    const [id = ""] = (this.keyIn(headers) ?? "").split(".")
    await this.#options.links.revoke(id)
    return { status: 204, text: "", headers: { "set-cookie": this.#cookie("", 0, headers) } }
  }

  /** The key in the cookie, if the request comes from a page of this server. */
  keyIn(headers: IncomingHttpHeaders): string | undefined {
    return isOwnPage(headers) ? cookieIn(headers, this.#cookieName) : undefined
  }

  async #signedIn(headers: IncomingHttpHeaders): Promise<Reply> {
    const { consoleKey, links, now } = this.#options
    const issuedAt = now()
    const expiresAt = issuedAt + COOKIE_SECONDS * 1000
    const link = { id: newLinkId(), role: "owner", issuedAt, expiresAt } as const
    await links.add(link)
    const cookie = this.#cookie(createLinkKey(consoleKey, link), COOKIE_SECONDS, headers)
    return { status: 204, text: "", headers: { "set-cookie": cookie } }
  }

  #cookie(value: string, seconds: number, headers: IncomingHttpHeaders): string {
    const isSecure = headers.origin?.startsWith("https:") === true
    const attributes = `HttpOnly; SameSite=Strict; Path=/; Max-Age=${seconds}${isSecure ? "; Secure" : ""}`
    return `${this.#cookieName}=${value}; ${attributes}`
  }

  /** Cookies are shared by all ports of a name, so each home has a name of its own. */
  get #cookieName(): string {
    return `turnhouse-${createHash("sha256").update(this.#options.consoleKey).digest("hex").slice(0, 8)}`
  }
}

function isOwnPage({ origin = "", host = "" }: IncomingHttpHeaders): boolean {
  return host !== "" && (origin === `http://${host}` || origin === `https://${host}`)
}

function refused(status: number, what: string): Reply {
  return { status, text: JSON.stringify({ what }), type: "application/json" }
}
