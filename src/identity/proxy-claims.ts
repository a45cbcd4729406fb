// Claims of a visitor that an authenticating proxy sends in a header or in the URL. They are not signed: they are
// accepted only where clients cannot reach the server past the proxy, or together with a shared secret.
import { isObject } from "../contract/json-object.ts"
import { equalInConstantTime } from "./constant-time.ts"
import { principalFromClaims, type Claims } from "./claims.ts"
import type { Principal } from "./principal.ts"

export interface ProxyCredentials {
  /** Base64url of a JSON object. */
  readonly claims: string | undefined
  readonly secret: string | undefined
}

const MAX_CLAIMS_LENGTH = 8192

export function principalFromProxy(
  given: ProxyCredentials,
  secret: string | undefined,
  now: number,
): Principal | undefined {
  if (secret !== undefined && !equalInConstantTime(given.secret ?? "", secret)) return undefined
  const claims = claimsIn(given.claims ?? "")
  const principal = claims === undefined ? undefined : principalFromClaims(claims)
  const isExpired = principal?.expiresAt !== undefined && principal.expiresAt <= now
  return isExpired ? undefined : principal
}

function claimsIn(text: string): Claims | undefined {
  if (text.length > MAX_CLAIMS_LENGTH || !/^[A-Za-z0-9_-]+={0,2}$/.test(text)) return undefined
  try {
    const value: unknown = JSON.parse(Buffer.from(text, "base64url").toString("utf8"))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
