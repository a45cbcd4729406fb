// Tokens for a server of a proof, made here independently of the code that checks them.
import { createHmac } from "node:crypto"

export interface ClaimsOf {
  readonly [name: string]: unknown
}

const VALID_SECONDS = 7 * 24 * 3600

/** A claim that is undefined is left out. */
export function hmacToken(claims: ClaimsOf, key: string, header: object = { alg: "HS256", typ: "JWT" }): string {
  const words = `${encoded(header)}.${encoded(claimsOf(claims))}`
  return `${words}.${createHmac("sha256", key).update(words).digest("base64url")}`
}

/** Valid for a week unless the claims say otherwise. */
export function claimsOf(claims: ClaimsOf): ClaimsOf {
  return { role: "basic", exp: Math.floor(Date.now() / 1000) + VALID_SECONDS, ...claims }
}

export function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url")
}
