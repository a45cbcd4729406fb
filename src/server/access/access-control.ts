// Authentication and admission of callers: tokens, proxy claims, embedding web sites and allowances. Doors get the result
// and know nothing of these.
import type { Config } from "../../contract/config.ts"
import { bearerToken, type HttpRequest, type Reply } from "../http/request.ts"
import type { OriginRules } from "../http/origin-check.ts"
import { hostIn, isLoopbackAddress } from "../http/loopback.ts"
import type { Caller } from "../../doors/ws/conversation-access.ts"
import { AuthFault } from "../../identity/auth-fault.ts"
import { Allowances, type AllowanceLimits } from "../../identity/allowances/allowances.ts"
import type { Embedding } from "../../identity/embedding.ts"
import { matchesAnyOrigin } from "../../identity/origin-pattern.ts"
import { anonymous, localOrg, publicOrg, rolesOf, type Principal } from "../../identity/principal.ts"
import type { Auth, TokenCheck } from "../../identity/token-check.ts"
import type { Address } from "../address.ts"
import { callerAddress } from "./caller-address.ts"
import { serverLimits, type ServerLimits } from "../limits.ts"

export interface AccessControlOptions {
  readonly config: Config
  readonly address: Pick<Address, "isPublic">
  /** Default: those of this process. */
  readonly openAllowances?: ((limits: AllowanceLimits) => Allowances) | undefined
  readonly now: () => number
  readonly warn: (message: string) => void
}

/** A caller, and when its token expires. */
export interface IdentifiedCaller {
  readonly caller: Caller & { readonly account: string }
  readonly expiresAt: number | undefined
}

type Server = NonNullable<Config["server"]>

const claimsHeader = "turnhouse-claims"
const secretHeader = "turnhouse-proxy-secret"
const noToken: Reply = {
  status: 401,
  text: "A token is required: /ws?token=TOKEN",
  headers: { "www-authenticate": "Bearer" },
}

/** Every caller without authentication, which is local only: it may use every agent. */
const visitor: Caller = { principal: "visitor", org: publicOrg, owner: "", reach: "ownerless", isStaff: true }

export class AccessControl {
  readonly limits: ServerLimits
  readonly allowances: Allowances
  readonly origins: OriginRules
  readonly auth: Auth
  readonly embedding: Embedding
  readonly #server: Server
  readonly #isEmbedded: boolean
  readonly #check: TokenCheck | undefined
  readonly #now: () => number

  /** Throws `AuthFault` if the configuration is inconsistent. The token check is loaded only if tokens are used. */
  static async open(options: AccessControlOptions): Promise<AccessControl> {
    const auth = options.config.server?.auth
    if (auth?.mode !== "jwt") return new AccessControl(options, undefined)
    const { openTokenCheck } = await import("../../identity/token-check.ts")
    return new AccessControl(options, openTokenCheck(auth, options))
  }

  private constructor({ config, address, openAllowances, now }: AccessControlOptions, check: TokenCheck | undefined) {
    const { server = {}, agents = {} } = config
    const { auth = { mode: "none" }, strictAgents: isStrict = false } = server
    if (auth.mode === "none" && auth.anonymous === "refuse")
      throw new AuthFault(
        "server.auth.anonymous 'refuse' would refuse every caller. Set server.auth.mode to 'jwt' or 'proxy'.",
      )
    const policies = Object.values(agents).flatMap(({ embed }) => embed ?? [])
    if (policies.some(({ org }) => org === localOrg))
      throw new AuthFault(`agents.*.embed.org: '${localOrg}' is reserved for local sessions. Choose another name.`)
    this.#now = now
    this.#server = server
    this.auth = auth
    this.limits = serverLimits(server)
    this.allowances = openAllowances?.(this.limits) ?? new Allowances(this.limits, now)
    this.#isEmbedded = policies.length > 0
    this.embedding = { agents, isStrict, allowsAnonymous: !address.isPublic }
    this.#check = check
    const allowed = [...(server.origins ?? []), ...policies.flatMap(({ origins }) => origins)]
    const names = server.names?.map(hostIn)
    this.origins = { isLocal: !address.isPublic, names, allowsOrigin: (origin) => matchesAnyOrigin(allowed, origin) }
  }

  /** The principal of a token or of the proxy's claims. */
  async principalOf(request: HttpRequest): Promise<Principal | undefined> {
    const token = request.query.get("token") ?? bearerToken(request)
    if (this.auth.mode === "proxy") return this.#proxyPrincipal(request, token)
    return token === undefined ? undefined : this.principalWith(token)
  }

  /** Undefined if the server uses no tokens. */
  async principalWith(token: string): Promise<Principal | undefined> {
    return this.#check?.(token)
  }

  /** The caller of a WebSocket, or why it is refused. */
  async callerOf(request: HttpRequest): Promise<IdentifiedCaller | Reply> {
    const { origin } = request.headers
    const account = callerAddress(request, this.#server.behindProxy === true)
    if (this.auth.mode === "none") return { caller: { ...visitor, origin, account }, expiresAt: undefined }
    const known = await this.principalOf(request)
    if (known === undefined && !this.#allowsAnonymous()) return noToken
    const { name: principal, org, email: owner, groups, expiresAt } = known ?? anonymous
    const common = { principal, org, owner, origin }
    if (known === undefined) return { caller: { ...common, account, isAnonymous: true }, expiresAt }
    const isStaff = rolesOf(known.orgRole).includes("approve")
    const caller = { ...common, groups, isStaff, account: JSON.stringify([org, principal]), contact: contactOf(known) }
    return { caller, expiresAt }
  }

  /** Whether a socket may open without a token: on a public address only if a web site embeds an agent. */
  #allowsAnonymous(): boolean {
    if (this.auth.anonymous === "refuse") return false
    return this.embedding.allowsAnonymous || this.#isEmbedded
  }

  /** Unsigned claims are accepted only from the proxy or from this machine. */
  async #proxyPrincipal(request: HttpRequest, token: string | undefined): Promise<Principal | undefined> {
    if (this.#server.behindProxy !== true && !isLoopbackAddress(request.address)) return undefined
    const { principalFromProxy } = await import("../../identity/claims.ts")
    const claims = headerIn(request, claimsHeader) ?? token
    const credentials = { claims, secret: headerIn(request, secretHeader) }
    return principalFromProxy(credentials, this.auth.secret, this.#now())
  }
}

function contactOf({ email, displayName }: Principal) {
  return { ...(email === "" ? {} : { email }), ...(displayName === undefined ? {} : { name: displayName }) }
}

function headerIn({ headers }: HttpRequest, name: string): string | undefined {
  const value = headers[name]
  return typeof value === "string" ? value : undefined
}
