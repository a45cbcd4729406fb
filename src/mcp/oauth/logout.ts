// Ends a login at an MCP server: removes its tokens, and revokes them where the authorization server can (RFC 7009).
import { guardedFetch, type GuardOptions } from "./guarded-fetch.ts"
import { changeServerLogin, type ServerTokens } from "./login-file.ts"
import { storedClientParameters } from "./oauth-client.ts"
import type { LoginRequest } from "./stored-login.ts"

/** `unrevoked`: removed here, but the server still accepts the tokens until they expire. */
export type Logout = "none" | "revoked" | "unrevoked"

export async function logoutFromServer(
  request: LoginRequest,
  { fetch, signal }: Pick<GuardOptions, "fetch" | "signal">,
): Promise<Logout> {
  let stored: ServerTokens | undefined
  await changeServerLogin(request.home, request.url, (login) => {
    stored = login?.kind === "tokens" ? login : undefined
    return "remove"
  })
  if (stored === undefined) return "none"
  return (await isRevoked(stored, request, guardedFetch({ url: request.url, fetch, signal }).fetch))
    ? "revoked"
    : "unrevoked"
}

/** A server that revokes a refresh token also ends the access tokens of that login. */
async function isRevoked(login: ServerTokens, { oauth }: LoginRequest, fetch: GuardOptions["fetch"]): Promise<boolean> {
  const { revocationUrl, access, refresh } = login
  if (revocationUrl === undefined) return false
  const { fields, headers } = storedClientParameters(login, oauth)
  const token =
    refresh === undefined
      ? { token: access, token_type_hint: "access_token" }
      : { token: refresh, token_type_hint: "refresh_token" }
  const body = new URLSearchParams({ ...fields, ...token })
  try {
    return (await fetch(revocationUrl, { method: "POST", headers, body, redirect: "error" })).ok
  } catch {
    return false // the caller tells the user
  }
}
