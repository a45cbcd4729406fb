// Requests to an MCP server with the tokens of its stored login. A token is renewed shortly before it expires and when the
// server refuses it: once for all requests and processes, because a refresh token may work only once. Never asks the user.
import { LoginFault } from "../../models/logins/login-store.ts"
import { isFresh, refreshTokens } from "../../models/logins/refresh-tokens.ts"
import { guardedFetch } from "./guarded-fetch.ts"
import { addressOf, changeServerLogin, readServerLogin, secretsIn, type ServerTokens } from "./login-file.ts"
import { NeedsLogin } from "./needs-login.ts"
import { storedClientParameters, type OAuthSettings } from "./oauth-client.ts"
import { secureAddress } from "./secure-address.ts"

type Fetch = typeof globalThis.fetch

export interface LoginRequest {
  readonly home: string
  readonly serverName: string
  /** The address of the MCP server. */
  readonly url: string
  readonly oauth?: OAuthSettings | undefined
  /** Gets each token before its use. */
  readonly onSecret?: ((name: string, value: string) => void) | undefined
}

export interface StoredLoginRequest extends LoginRequest {
  readonly fetch?: Fetch
  readonly now?: () => number
}

/**
 * For `fetch` of the transport. Throws NeedsLogin where only the user can help. It replaces `authProvider`, which is not
 * told which token the server has refused: a late refusal of an old token would invalidate the new one.
 */
export function storedLogin(request: StoredLoginRequest): Fetch {
  const { url, fetch = globalThis.fetch } = request
  const renewals = new Map<string | undefined, Promise<string>>()
  const renew = (refused: string | undefined): Promise<string> => {
    const running = renewals.get(refused) ?? renewed(request, refused).finally(() => renewals.delete(refused))
    renewals.set(refused, running)
    return running
  }
  return async (input, init) => {
    if (!isAtServer(input, url) || new Headers(init?.headers).has("authorization")) return fetch(input, init)
    const token = await currentToken(request, renew)
    const response = await fetch(input, withToken(init, token))
    if (response.status !== 401) return response
    await response.body?.cancel()
    const again = await fetch(input, withToken(init, await renew(token)))
    if (again.status !== 401) return again
    await again.body?.cancel()
    throw new NeedsLogin(request.serverName)
  }
}

/** Undefined without a login: the server may need none. */
async function currentToken(
  request: StoredLoginRequest,
  renew: (refused: undefined) => Promise<string>,
): Promise<string | undefined> {
  const login = usableLogin(request, readServerLogin(request.home, request.url))
  if (login === undefined) return undefined
  if (!isFresh(login, now(request))) return renew(undefined)
  learn(request, login)
  return login.access
}

/** `refused`: the token that the server no longer takes. Another process may have renewed it already. */
async function renewed(request: StoredLoginRequest, refused: string | undefined): Promise<string> {
  const { home, serverName, url } = request
  let access: string | undefined
  await changeServerLogin(home, url, async (stored) => {
    const login = usableLogin(request, stored)
    access = login?.access
    if (login !== undefined && login.access !== refused && isFresh(login, now(request))) return undefined
    const next = login === undefined ? undefined : await refreshed(request, login)
    access = next?.access
    if (next !== undefined) learn(request, next)
    return next ?? { kind: "needed", url: addressOf(url) }
  })
  if (access === undefined) throw new NeedsLogin(serverName)
  return access
}

/** Undefined if the user has to log in again. */
async function refreshed(request: StoredLoginRequest, login: ServerTokens): Promise<ServerTokens | undefined> {
  const { serverName, url, oauth, fetch = globalThis.fetch } = request
  const { refresh, tokenUrl, resource } = login
  if (refresh === undefined) return undefined
  const { fields, headers } = storedClientParameters(login, oauth)
  const guarded = guardedFetch({ url, fetch }).fetch
  const form = { ...fields, ...(resource === undefined ? {} : { resource }) }
  try {
    const at = now(request)
    const tokens = await refreshTokens({ tokenUrl, refresh, headers, fetch: guarded, fields: form, now: at })
    const { expiresAt: _old, ...kept } = login
    return tokens && { ...kept, ...tokens }
  } catch (fault) {
    if (fault instanceof LoginFault)
      throw new LoginFault(`MCP server "${serverName}": ${fault.message}`, { cause: fault })
    throw fault
  }
}

/** A login of another client than the configured one does not count. */
function usableLogin({ url, oauth }: LoginRequest, login: ReturnType<typeof readServerLogin>) {
  if (login?.kind !== "tokens") return undefined
  secureAddress(url, "the address of the MCP server")
  return oauth?.clientId === undefined || oauth.clientId === login.clientId ? login : undefined
}

function isAtServer(input: Parameters<Fetch>[0], url: string): boolean {
  return new URL(input instanceof Request ? input.url : input).origin === new URL(url).origin
}

function withToken(init: RequestInit | undefined, token: string | undefined): RequestInit | undefined {
  if (token === undefined) return init
  const headers = new Headers(init?.headers)
  headers.set("authorization", `Bearer ${token}`)
  return { ...init, headers }
}

function learn({ serverName, onSecret }: LoginRequest, login: ServerTokens): void {
  for (const value of secretsIn(login)) onSecret?.(`mcp.${serverName}`, value)
}

function now(request: StoredLoginRequest): number {
  return request.now?.() ?? Date.now()
}
