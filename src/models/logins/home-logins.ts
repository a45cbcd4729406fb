// The stored logins of a home, for the providers. A token is refreshed shortly before it expires and when the provider
// refuses it: once for all processes of the home, because servers invalidate a refresh token with its first use.
import { ModelUnavailable } from "../model-source.ts"
import type { OnSecret } from "../credentials/late-key.ts"
import type { Fetch } from "../providers/provider.ts"
import { changeLogins, LoginFault, readLogins, type Login, type Logins } from "./login-store.ts"
import { isFresh, refreshTokens } from "./refresh-tokens.ts"

export interface LoginSource {
  readonly stored: () => Logins
  /** Requests with a token that is valid; undefined where the login is a key. `onSecret` gets each token before its use. */
  readonly fetchFor: (provider: string, fetch: Fetch, onSecret?: OnSecret) => Fetch | undefined
}

interface Asking {
  readonly fetch: Fetch
  readonly onSecret: (value: string) => void
}

type OAuthLogin = Extract<Login, { kind: "oauth" }>

export function homeLogins(home: string, now: () => number = Date.now): LoginSource {
  const running = new Map<string, Promise<string>>()
  const renew = (name: string, refused: string | undefined, asking: Asking): Promise<string> => {
    const known = running.get(name) ?? renewed(home, name, refused, asking, now).finally(() => running.delete(name))
    running.set(name, known)
    return known
  }
  return {
    stored: () => readLogins(home),
    fetchFor: (name, fetch, onSecret = () => {}) => {
      if (readLogins(home)[name]?.kind !== "oauth") return undefined
      const asking = { fetch, onSecret: (value: string) => onSecret(`login.${name}`, value) }
      return async (input, init) => {
        const token = await current(home, name, now, () => renew(name, undefined, asking))
        asking.onSecret(token) // another process may have renewed it
        const response = await fetch(input, withToken(init, token))
        if (response.status !== 401) return response
        await response.body?.cancel()
        return fetch(input, withToken(init, await renew(name, token, asking)))
      }
    },
  }
}

async function current(home: string, name: string, now: () => number, renew: () => Promise<string>): Promise<string> {
  const login = oauthLogin(readLogins(home), name)
  return isFresh(login, now()) ? login.access : renew()
}

/** `refused`: the token that the provider no longer takes. Another process may have renewed it already. */
async function renewed(
  home: string,
  name: string,
  refused: string | undefined,
  { fetch, onSecret }: Asking,
  now: () => number,
): Promise<string> {
  let access = ""
  try {
    await changeLogins(home, async (logins) => {
      const login = oauthLogin(logins, name)
      access = login.access
      if (login.access !== refused && isFresh(login, now())) return undefined
      const next = await refreshed(name, login, fetch, now())
      access = next.access
      onSecret(next.access)
      if (next.refresh !== undefined) onSecret(next.refresh)
      return { ...logins, [name]: next }
    })
  } catch (fault) {
    throw fault instanceof LoginFault ? new ModelUnavailable(`Provider ${name}: ${fault.message}`) : fault
  }
  return access
}

async function refreshed(name: string, login: OAuthLogin, fetch: Fetch, now: number): Promise<OAuthLogin> {
  const { refresh, tokenUrl, clientId } = login
  if (refresh === undefined) throw expired(name)
  const tokens = await refreshTokens({ tokenUrl, refresh, now, fetch, fields: { client_id: clientId } })
  if (tokens === undefined) throw expired(name)
  const { expiresAt: _old, ...kept } = login
  return { ...kept, ...tokens }
}

function expired(name: string): LoginFault {
  return new LoginFault(`the login has expired. Run 'turnhouse login ${name}'.`)
}

function oauthLogin(logins: Logins, name: string): OAuthLogin {
  const login = logins[name]
  if (login?.kind !== "oauth") throw expired(name)
  return login
}

/** The provider's package has set a header with the token of its start. */
function withToken(init: RequestInit | undefined, token: string): RequestInit {
  const headers = new Headers(init?.headers)
  headers.set("authorization", `Bearer ${token}`)
  return { ...init, headers }
}
