// Tokens of visitors: JSON Web Tokens, signed by whoever the configuration names. Only the configured kind of signature
// counts, whatever a token says of itself, and a token without an end is none. The library is loaded with the first one.
import { createPublicKey, type KeyObject } from "node:crypto"
import { readFileSync } from "node:fs"
import type { JWTVerifyGetKey, JWTVerifyOptions } from "jose"
import type { Config } from "../contract/config.ts"
import { AuthFault } from "./auth-fault.ts"
import { principalIn } from "./claims.ts"
import { isAddress, keySetTimes, openKeySet, type KeySetTimes } from "./key-set.ts"
import type { Principal } from "./principal.ts"

export type Auth = NonNullable<NonNullable<Config["server"]>["auth"]>

/** Nothing for a token that does not count; why is nobody's business. */
export type TokenCheck = (token: string) => Promise<Principal | undefined>

export interface TokenCheckDeps {
  readonly now: () => number
  readonly warn: (sentence: string) => void
  readonly times?: KeySetTimes
}

/** Clocks of two machines are never quite the same. */
const toleranceSeconds = 5
const longestToken = 8192
const shortestSecret = 32
const shortestModulus = 2048

/** A set of published keys says for each what it is for; a shared secret is never among them. */
const published = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]

type Verify = (token: string, options: JWTVerifyOptions) => Promise<Readonly<Record<string, unknown>>>

/** Throws `AuthFault` where the configuration is not enough to check anything. */
export function openTokenCheck(auth: Auth, deps: TokenCheckDeps): TokenCheck {
  const { algorithms, verify } = signatureOf(auth, deps)
  const { issuer, audience } = auth
  const expected = {
    algorithms: [...algorithms],
    clockTolerance: toleranceSeconds,
    requiredClaims: ["exp"],
    ...(issuer === undefined ? {} : { issuer }),
    ...(audience === undefined ? {} : { audience }),
  }
  return async (token) => {
    if (token.length > longestToken) return undefined
    const claims = await verify(token, { ...expected, currentDate: new Date(deps.now()) }).catch(() => undefined)
    return claims === undefined ? undefined : principalIn(claims)
  }
}

interface Signature {
  readonly algorithms: readonly string[]
  readonly verify: Verify
}

function signatureOf(auth: Auth, deps: TokenCheckDeps): Signature {
  const { secret, publicKey, jwks } = auth
  const [source, ...others] = [secret, publicKey, jwks].filter((given) => given !== undefined)
  if (source === undefined || others.length > 0)
    throw new AuthFault("server.auth.mode 'jwt' needs one of server.auth.secret, publicKey and jwks, and only one")
  if (secret !== undefined) return { algorithms: ["HS256"], verify: withKey(secretKey(secret)) }
  if (publicKey === undefined) return { algorithms: published, verify: withKeySet(checkedSource(source), deps) }
  return { algorithms: ["RS256"], verify: withKey(publicKeyIn(publicKey)) }
}

function withKey(key: KeyObject | Uint8Array): Verify {
  return async (token, options) => {
    const { jwtVerify } = await import("jose")
    return (await jwtVerify(token, key, options)).payload
  }
}

function withKeySet(source: string, deps: TokenCheckDeps): Verify {
  let opening: Promise<JWTVerifyGetKey> | undefined
  return async (token, options) => {
    const { jwtVerify } = await import("jose")
    opening ??= openKeySet({ source, times: keySetTimes, ...deps })
    return (await jwtVerify(token, await opening, options)).payload
  }
}

function secretKey(secret: string): Uint8Array {
  const key = new TextEncoder().encode(secret)
  if (key.length >= shortestSecret) return key
  const remedy = "Use random ones, for example from 'openssl rand -hex 32'."
  throw new AuthFault(`server.auth.secret has ${key.length} bytes; HS256 needs at least ${shortestSecret}. ${remedy}`)
}

function publicKeyIn(textOrPath: string): KeyObject {
  const key = readPublicKey(textOrPath.includes("-----BEGIN") ? textOrPath : fileText(textOrPath))
  const { modulusLength = 0 } = key.asymmetricKeyDetails ?? {}
  if (key.asymmetricKeyType !== "rsa" || modulusLength < shortestModulus)
    throw new AuthFault(`server.auth.publicKey must be an RSA key of at least ${shortestModulus} bits`)
  return key
}

function fileText(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch (fault) {
    throw new AuthFault(`server.auth.publicKey: ${path} cannot be read (${String(fault)})`, { cause: fault })
  }
}

function readPublicKey(pem: string): KeyObject {
  if (/PRIVATE KEY-----/.test(pem))
    throw new AuthFault("server.auth.publicKey holds a private key: tokens are checked with the public one")
  try {
    return createPublicKey(pem)
  } catch (fault) {
    throw new AuthFault("server.auth.publicKey is no public key in PEM form", { cause: fault })
  }
}

/** Whoever can change what is fetched decides whose tokens count. */
function checkedSource(source: string): string {
  if (!isAddress(source) || /^https:\/\//i.test(source)) return source
  if (/^http:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?(\/|$)/i.test(source)) return source
  throw new AuthFault("server.auth.jwks must be an address with https, one of this machine, or a file")
}
