// Claims that a proxy has checked: it has asked the visitor who they are, and says so in a header or in the address. They
// are not signed, so they count only where nobody but the proxy can say them; with a secret that it shares with this
// server, only from who knows it.
import { isSameText } from "./same-text.ts"
import { principalIn, type Claims } from "./claims.ts"
import type { Principal } from "./principal.ts"

export interface ProxyWords {
  /** Base64url of a JSON object. */
  readonly claims: string | undefined
  readonly secret: string | undefined
}

const longestClaims = 8192

export function proxyPrincipal(words: ProxyWords, secret: string | undefined, now: number): Principal | undefined {
  if (secret !== undefined && !isSameText(words.secret ?? "", secret)) return undefined
  const claims = claimsIn(words.claims ?? "")
  const principal = claims === undefined ? undefined : principalIn(claims)
  const isOver = principal?.expiresAt !== undefined && principal.expiresAt <= now
  return isOver ? undefined : principal
}

function claimsIn(text: string): Claims | undefined {
  if (text.length > longestClaims || !/^[A-Za-z0-9_-]+={0,2}$/.test(text)) return undefined
  try {
    const value: unknown = JSON.parse(Buffer.from(text, "base64url").toString("utf8"))
    return isClaims(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isClaims(value: unknown): value is Claims {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
