// Who stands at the door, and whether they may come in: tokens, proxies, web sites that embed an agent, and how much
// everybody may ask for. The doors behind it are told, and know nothing of all this.
import type { Config } from "../../contract/config.ts"
import { bearerIn, type Asked, type Reply } from "../http/request.ts"
import type { Guests } from "../http/origin-check.ts"
import { hostIn, isLoopbackAddress } from "../http/loopback.ts"
import type { Caller } from "../../doors/ws/conversation-access.ts"
import { AuthFault } from "../../identity/auth-fault.ts"
import { Allowances } from "../../identity/allowances.ts"
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
  readonly now: () => number
  readonly warn: (sentence: string) => void
}

/** Somebody at the door. */
export interface Found {
  readonly caller: Caller & { readonly account: string }
  readonly expiresAt: number | undefined
}

type Server = NonNullable<Config["server"]>

const claimsHeader = "turnhouse-claims"
const secretHeader = "turnhouse-proxy-secret"
const noToken: Reply = {
  status: 401,
  text: "A token is needed here: /ws?token=…",
  headers: { "www-authenticate": "Bearer" },
}

/** Where nobody is told apart, on one's own machine: there they may try every agent. */
const visitor: Caller = { principal: "visitor", org: publicOrg, owner: "", reach: "ownerless", isStaff: true }

export class AccessControl {
  readonly limits: ServerLimits
  readonly allowances: Allowances
  readonly guests: Guests
  readonly auth: Auth
  readonly embedding: Embedding
  readonly #server: Server
  readonly #isEmbedded: boolean
  readonly #check: TokenCheck | undefined
  readonly #now: () => number

  /**
   * Throws `AuthFault` where the configuration does not do what it is meant for. What checks tokens is loaded where
   * there are tokens: nobody waits for it at the start.
   */
  static async open(options: AccessControlOptions): Promise<AccessControl> {
    const auth = options.config.server?.auth
    if (auth?.mode !== "jwt") return new AccessControl(options, undefined)
    const { openTokenCheck } = await import("../../identity/token-check.ts")
    return new AccessControl(options, openTokenCheck(auth, options))
  }

  private constructor({ config, address, now }: AccessControlOptions, check: TokenCheck | undefined) {
    const { server = {}, agents = {} } = config
    const { auth = { mode: "none" }, strictAgents: isStrict = false } = server
    if (auth.mode === "none" && auth.anonymous === "refuse")
      throw new AuthFault("server.auth.anonymous 'refuse' would keep everybody out: it needs mode 'jwt' or 'proxy'")
    const policies = Object.values(agents).flatMap(({ embed }) => embed ?? [])
    if (policies.some(({ org }) => org === localOrg))
      throw new AuthFault(`the organisation '${localOrg}' is this machine's own: embed.org needs another name`)
    this.#now = now
    this.#server = server
    this.auth = auth
    this.limits = serverLimits(server)
    this.allowances = new Allowances(this.limits, now)
    this.#isEmbedded = policies.length > 0
    this.embedding = { agents, isStrict, allowsAnonymous: !address.isPublic }
    this.#check = check
    const invited = [...(server.origins ?? []), ...policies.flatMap(({ origins }) => origins)]
    const names = server.names?.map(hostIn)
    this.guests = { isLocal: !address.isPublic, names, mayCome: (origin) => matchesAnyOrigin(invited, origin) }
  }

  /** Whoever a token or a proxy vouches for. */
  async principalOf(asked: Asked): Promise<Principal | undefined> {
    const token = asked.query.get("token") ?? bearerIn(asked)
    if (this.auth.mode === "proxy") return this.#vouchedFor(asked, token)
    return token === undefined ? undefined : this.principalWith(token)
  }

  /** Nobody where tokens are not what counts. */
  async principalWith(token: string): Promise<Principal | undefined> {
    return this.#check?.(token)
  }

  /** Somebody who wants to talk to an agent; or why they may not. */
  async callerOf(asked: Asked): Promise<Found | Reply> {
    const { origin } = asked.headers
    const account = callerAddress(asked, this.#server.behindProxy === true)
    if (this.auth.mode === "none") return { caller: { ...visitor, origin, account }, expiresAt: undefined }
    const known = await this.principalOf(asked)
    if (known === undefined && !this.#opensToNobody()) return noToken
    const { name: principal, org, email: owner, groups, expiresAt } = known ?? anonymous
    const common = { principal, org, owner, origin }
    if (known === undefined) return { caller: { ...common, account, isAnonymous: true }, expiresAt }
    const isStaff = rolesOf(known.orgRole).includes("approve")
    const caller = { ...common, groups, isStaff, account: JSON.stringify([org, principal]), contact: contactOf(known) }
    return { caller, expiresAt }
  }

  /** Whether a socket opens without a token: on a public address only where an agent is there for web sites. */
  #opensToNobody(): boolean {
    if (this.auth.anonymous === "refuse") return false
    return this.embedding.allowsAnonymous || this.#isEmbedded
  }

  /** What is not signed counts only from where nobody else can say it. */
  async #vouchedFor(asked: Asked, token: string | undefined): Promise<Principal | undefined> {
    if (this.#server.behindProxy !== true && !isLoopbackAddress(asked.address)) return undefined
    const { principalFromProxy } = await import("../../identity/proxy-claims.ts")
    const claims = headerIn(asked, claimsHeader) ?? token
    const words = { claims, secret: headerIn(asked, secretHeader) }
    return principalFromProxy(words, this.auth.secret, this.#now())
  }
}

function contactOf({ email, displayName }: Principal) {
  return { ...(email === "" ? {} : { email }), ...(displayName === undefined ? {} : { name: displayName }) }
}

function headerIn({ headers }: Asked, name: string): string | undefined {
  const value = headers[name]
  return typeof value === "string" ? value : undefined
}
