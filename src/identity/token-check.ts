// Checks JSON Web Tokens against the configured issuer. Only the configured signature algorithms are accepted, and a
// token must expire. `jose` is loaded with the first token.
import { createPublicKey, type KeyObject } from "node:crypto"
import { readFileSync } from "node:fs"
import type { JWTVerifyGetKey, JWTVerifyOptions } from "jose"
import type { Config } from "../contract/config.ts"
import { AuthFault } from "./auth-fault.ts"
import { principalFromClaims } from "./claims.ts"
import { isAddress, keySetTimes, openKeySet, type KeySetTimes } from "./key-set.ts"
import type { Principal } from "./principal.ts"

export type Auth = NonNullable<NonNullable<Config["server"]>["auth"]>

/** Undefined for an invalid token; the client does not learn why. */
export type TokenCheck = (token: string) => Promise<Principal | undefined>

export interface TokenCheckDeps {
  readonly now: () => number
  readonly warn: (sentence: string) => void
  readonly times?: KeySetTimes
}

/** Allowed difference between the clocks of issuer and server. */
const TOLERANCE_SECONDS = 5
const MAX_TOKEN_LENGTH = 8192
const MIN_SECRET_BYTES = 32
const MIN_MODULUS_BITS = 2048

/** For keys of a published set: asymmetric algorithms only, so that a shared secret in it is never accepted. */
const asymmetric = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"]

type Verify = (token: string, options: JWTVerifyOptions) => Promise<Readonly<Record<string, unknown>>>

/** Throws an AuthFault if the configuration names no key to check tokens with. */
export function openTokenCheck(auth: Auth, deps: TokenCheckDeps): TokenCheck {
  const { algorithms, verify } = signatureOf(auth, deps)
  const { issuer, audience } = auth
  const expected = {
    algorithms: [...algorithms],
    clockTolerance: TOLERANCE_SECONDS,
    requiredClaims: ["exp"],
    ...(issuer === undefined ? {} : { issuer }),
    ...(audience === undefined ? {} : { audience }),
  }
  return async (token) => {
    if (token.length > MAX_TOKEN_LENGTH) return undefined
    const claims = await verify(token, { ...expected, currentDate: new Date(deps.now()) }).catch(() => undefined)
    return claims === undefined ? undefined : principalFromClaims(claims)
  }
}

interface Signature {
  readonly algorithms: readonly string[]
  readonly verify: Verify
}

function signatureOf(auth: Auth, deps: TokenCheckDeps): Signature {
  const { secret, publicKey, jwks } = auth
  const [source, ...others] = [secret, publicKey, jwks].filter((value) => value !== undefined)
  if (source === undefined || others.length > 0)
    throw new AuthFault("server.auth.mode 'jwt' needs exactly one of server.auth.secret, publicKey and jwks")
  if (secret !== undefined) return { algorithms: ["HS256"], verify: withKey(secretKey(secret)) }
  if (publicKey === undefined) return { algorithms: asymmetric, verify: withKeySet(checkedSource(source), deps) }
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
  if (key.length >= MIN_SECRET_BYTES) return key
  const fix = "Use a random one, for example from 'openssl rand -hex 32'."
  throw new AuthFault(`server.auth.secret has ${key.length} bytes; HS256 needs at least ${MIN_SECRET_BYTES}. ${fix}`)
}

function publicKeyIn(textOrPath: string): KeyObject {
  const key = readPublicKey(textOrPath.includes("-----BEGIN") ? textOrPath : fileText(textOrPath))
  const { modulusLength = 0 } = key.asymmetricKeyDetails ?? {}
  if (key.asymmetricKeyType !== "rsa" || modulusLength < MIN_MODULUS_BITS)
    throw new AuthFault(`server.auth.publicKey must be an RSA key of at least ${MIN_MODULUS_BITS} bits`)
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
    throw new AuthFault("server.auth.publicKey is a private key. Use the public key of the pair.")
  try {
    return createPublicKey(pem)
  } catch (fault) {
    throw new AuthFault("server.auth.publicKey is not a public key in PEM format", { cause: fault })
  }
}

/** A key set that an attacker can replace on the way would accept the attacker's tokens. */
function checkedSource(source: string): string {
  if (!isAddress(source) || /^https:\/\//i.test(source)) return source
  if (/^http:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?(\/|$)/i.test(source)) return source
  throw new AuthFault("server.auth.jwks must be an https URL, a URL of this machine, or a file")
}
