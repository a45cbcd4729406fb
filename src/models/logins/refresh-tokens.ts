// Renewal of an access token with its refresh token. A server may invalidate a refresh token with its first use, so callers
// renew under a lock.
import { LoginFault } from "./login-store.ts"
import { oauthRequest, tokensIn, type OAuthRequestOptions, type Tokens } from "./oauth-request.ts"

export interface RefreshRequest extends OAuthRequestOptions {
  readonly tokenUrl: string
  readonly refresh: string
  readonly now: number
  /** The client, and what else the server needs. */
  readonly fields: Readonly<Record<string, string>>
}

/** A token is renewed this long before it expires. */
const EARLY_MS = 60_000

export function isFresh({ expiresAt }: Pick<Tokens, "expiresAt">, now: number): boolean {
  return expiresAt === undefined || expiresAt - EARLY_MS > now
}

/** Undefined if the server refuses the refresh token. Throws LoginFault where a later attempt may succeed. */
export async function refreshTokens(request: RefreshRequest): Promise<Tokens | undefined> {
  const { tokenUrl, refresh, now, fields, ...options } = request
  const form = { grant_type: "refresh_token", refresh_token: refresh, ...fields }
  const answer = await oauthRequest(tokenUrl, form, options)
  if (!answer.ok && isTemporary(answer.error))
    throw new LoginFault(`the login cannot be renewed at the moment (${answer.error}). Try again later.`)
  return answer.ok ? tokensIn(answer.body, now) : undefined
}

/** The refresh token is still valid. */
function isTemporary(error: string): boolean {
  return /^(?:status (?:429|5\d\d)|slow_down|server_error|temporarily_unavailable)$/.test(error)
}
