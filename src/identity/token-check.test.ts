import { createHmac, createSign, generateKeyPairSync, type KeyObject } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { AuthFault } from "./auth-fault.ts"
import { openTokenCheck, type Auth } from "./token-check.ts"

const now = Date.now()
const soon = Math.floor(now / 1000) + 600
const rsa = () => generateKeyPairSync("rsa", { modulusLength: 2048 })
const pemOf = (key: KeyObject) => key.export({ type: "spki", format: "pem" }).toString()
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")

function signed(header: object, key: KeyObject, claims: object = { sub: "ada", exp: soon }): string {
  const words = `${part(header)}.${part(claims)}`
  return `${words}.${createSign("RSA-SHA256").update(words).sign(key, "base64url")}`
}

function check(auth: Omit<Auth, "mode">, times = { maxAgeMs: 60_000, pauseMs: 0, staleMs: 60_000 }, clock = () => now) {
  const warnings: string[] = []
  return {
    warnings,
    check: openTokenCheck({ mode: "jwt", ...auth }, { now: clock, warn: (w) => warnings.push(w), times }),
  }
}

describe("a public key", () => {
  const { publicKey, privateKey } = rsa()
  const pem = pemOf(publicKey)

  it("verifies RS256 tokens only, and is never used as an HMAC secret", async () => {
    const { check: checked } = check({ publicKey: pem })
    expect(await checked(signed({ alg: "RS256" }, privateKey))).toMatchObject({ name: "ada", org: "public" })
    const words = `${part({ alg: "HS256" })}.${part({ sub: "ada", exp: soon })}`
    for (const secret of [pem, pem.trim()])
      expect(
        await checked(`${words}.${createHmac("sha256", secret).update(words).digest("base64url")}`),
      ).toBeUndefined()
    expect(await checked(signed({ alg: "RS256" }, rsa().privateKey))).toBeUndefined()
    expect(await checked(signed({ alg: "PS256" }, privateKey))).toBeUndefined()
  })

  it("and a secret accept only the configured algorithm, even if another signature is right", async () => {
    const strong = `${part({ alg: "RS512" })}.${part({ sub: "ada", exp: soon })}`
    const byKey = createSign("RSA-SHA512").update(strong).sign(privateKey, "base64url")
    expect(await check({ publicKey: pem }).check(`${strong}.${byKey}`)).toBeUndefined()
    const secret = "s".repeat(64)
    const words = `${part({ alg: "HS512" })}.${part({ sub: "ada", exp: soon })}`
    const bySecret = createHmac("sha512", secret).update(words).digest("base64url")
    expect(await check({ secret }).check(`${words}.${bySecret}`)).toBeUndefined()
  })

  it("must be an RSA public key of sufficient length", () => {
    const small = generateKeyPairSync("rsa", { modulusLength: 1024 }).publicKey
    const curve = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey
    const secretPart = privateKey.export({ type: "pkcs8", format: "pem" }).toString()
    for (const bad of [pemOf(small), pemOf(curve), secretPart, "-----BEGIN PUBLIC KEY-----\nx", "/none/key.pem"])
      expect(() => check({ publicKey: bad })).toThrow(AuthFault)
  })
})

describe("expiry", () => {
  const secret = "s".repeat(32)
  const token = (claims: object) => {
    const words = `${part({ alg: "HS256" })}.${part({ sub: "ada", ...claims })}`
    return `${words}.${createHmac("sha256", secret).update(words).digest("base64url")}`
  }

  it("tolerates a clock difference of five seconds, and no more", async () => {
    let clock = now
    const { check: checked } = check({ secret }, undefined, () => clock)
    const exp = Math.floor(now / 1000)
    clock = (exp + 4) * 1000
    expect(await checked(token({ exp }))).toBeDefined()
    clock = (exp + 6) * 1000
    expect(await checked(token({ exp }))).toBeUndefined()
  })

  it("is part of the principal, for clients that stay connected", async () => {
    expect(await check({ secret }).check(token({ exp: soon }))).toMatchObject({ expiresAt: soon * 1000 })
  })

  it("does not matter for a secret of fewer than 32 bytes, which is refused", () => {
    expect(() => check({ secret: "short" })).toThrow("5 bytes; HS256 needs at least 32")
    expect(() => check({ secret: "x".repeat(31) })).toThrow(AuthFault)
    expect(() => check({ secret: "é".repeat(16) })).not.toThrow()
  })
})

describe("a key set", () => {
  const closing: (() => void)[] = []
  afterEach(() => {
    for (const close of closing.splice(0)) close()
  })

  /** An issuer that publishes keys and counts requests. */
  async function publisher() {
    const state = { keys: [] as object[], asked: 0, isDown: false, says: undefined as string | undefined }
    const server = createServer((_request, response) => {
      state.asked += 1
      response.writeHead(state.isDown ? 500 : 200).end(state.says ?? JSON.stringify({ keys: state.keys }))
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    closing.push(() => void server.close())
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    return Object.assign(state, { jwks: `http://127.0.0.1:${port}/keys` })
  }

  const named = (kid: string) => {
    const { publicKey, privateKey } = rsa()
    return { jwk: { ...publicKey.export({ format: "jwk" }), kid, alg: "RS256", use: "sig" }, privateKey, kid }
  }
  const tokenOf = ({ privateKey, kid }: ReturnType<typeof named>) => signed({ alg: "RS256", kid }, privateKey)
  const [old, next] = [named("one"), named("two")]

  it("is loaded once, and again when a token has an unknown key id", async () => {
    const state = await publisher()
    state.keys = [old.jwk]
    const { check: checked } = check({ jwks: state.jwks })
    expect(await checked(tokenOf(old))).toMatchObject({ name: "ada" })
    expect(await checked(tokenOf(old))).toMatchObject({ name: "ada" })
    expect(state.asked).toBe(1)
    state.keys = [next.jwk]
    expect(await checked(tokenOf(next))).toMatchObject({ name: "ada" })
    expect(await checked(tokenOf(old))).toBeUndefined()
  })

  it("is not loaded again for every forged token", async () => {
    const state = await publisher()
    state.keys = [old.jwk]
    const { check: checked } = check({ jwks: state.jwks }, { maxAgeMs: 60_000, pauseMs: 60_000, staleMs: 60_000 })
    await checked(tokenOf(old))
    for (let n = 0; n < 20; n++)
      expect(await checked(signed({ alg: "RS256", kid: `made-up-${n}` }, old.privateKey))).toBeUndefined()
    expect(state.asked).toBe(1)
  })

  it("stays valid for a while when it cannot be loaded, without constant retries", async () => {
    const state = await publisher()
    state.keys = [old.jwk]
    let clock = now
    const times = { maxAgeMs: 0, pauseMs: 1000, staleMs: 5000 }
    const { check: checked, warnings } = check({ jwks: state.jwks }, times, () => clock)
    expect(await checked(tokenOf(old))).toBeDefined()
    state.isDown = true
    for (let n = 0; n < 10; n++) expect(await checked(tokenOf(old))).toBeDefined()
    expect(state.asked).toBe(2)
    expect(warnings).toEqual([expect.stringContaining("500")])
    clock += 6000
    expect(await checked(tokenOf(old))).toBeUndefined()
  })

  it.each(["{}", "null", '{"keys":{}}', '{"keys":[7]}', "<html>"])(
    "keeps the last keys when the source returns something else: %s",
    async (says) => {
      const state = await publisher()
      state.keys = [old.jwk]
      const { check: checked, warnings } = check(
        { jwks: state.jwks },
        { maxAgeMs: 0, pauseMs: 60_000, staleMs: 60_000 },
      )
      expect(await checked(tokenOf(old))).toBeDefined()
      state.says = says
      for (let n = 0; n < 10; n++) expect(await checked(tokenOf(old))).toBeDefined()
      expect(state.asked).toBe(2)
      expect(warnings).toHaveLength(1)
    },
  )

  it("rejects every token until it was loaded once", async () => {
    const state = await publisher()
    state.isDown = true
    const { check: checked } = check({ jwks: state.jwks })
    expect(await checked(tokenOf(old))).toBeUndefined()
  })

  it("is never used as a shared secret", async () => {
    const state = await publisher()
    const k = Buffer.from("published to all clients, thirty-two b").toString("base64url")
    state.keys = [{ kty: "oct", k, alg: "HS256", kid: "s" }]
    const words = `${part({ alg: "HS256", kid: "s" })}.${part({ sub: "ada", exp: soon })}`
    const token = `${words}.${createHmac("sha256", Buffer.from(k, "base64url")).update(words).digest("base64url")}`
    expect(await check({ jwks: state.jwks }).check(token)).toBeUndefined()
  })

  it("may be a file, which is reloaded", async () => {
    const folder = mkdtempSync(join(tmpdir(), "turnhouse-keys-"))
    closing.push(() => rmSync(folder, { recursive: true }))
    const jwks = join(folder, "keys.json")
    writeFileSync(jwks, JSON.stringify({ keys: [old.jwk] }))
    const { check: checked } = check({ jwks })
    expect(await checked(tokenOf(old))).toBeDefined()
    writeFileSync(jwks, JSON.stringify({ keys: [next.jwk] }))
    expect(await checked(tokenOf(next))).toBeDefined()
  })

  it("must come over https, from this machine or from a file", () => {
    for (const jwks of ["http://login.example/keys", "http://127.0.0.1.evil.example/keys", "ftp://localhost/keys"])
      expect(() => check({ jwks })).toThrow("https")
    for (const jwks of ["https://login.example/keys", "http://localhost:9/keys", "/etc/keys.json"])
      expect(() => check({ jwks })).not.toThrow()
  })
})
