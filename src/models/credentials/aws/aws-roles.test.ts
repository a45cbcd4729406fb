// Roles and machines that give keys of AWS, against servers on loopback.
import { createHash, createHmac } from "node:crypto"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { ask, hello, startServer, textOf } from "../../../../spec/provider-server/connect.ts"
import type { Environment } from "../../providers/provider.ts"
import { createModelSource } from "../../registry.ts"
import { awsSource } from "./aws-source.ts"
import { readAwsKeys } from "./read-keys.ts"

function homeWith({ credentials = "", config = "" }: { readonly credentials?: string; readonly config?: string }) {
  const home = mkdtempSync(join(tmpdir(), "turnhouse-aws-"))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  mkdirSync(join(home, ".aws", "sso", "cache"), { recursive: true })
  writeFileSync(join(home, ".aws", "credentials"), credentials)
  writeFileSync(join(home, ".aws", "config"), config)
  return home
}

interface Received {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
}

type Answer = { readonly status?: number; readonly body: string }

/** A server that answers each request with what `answer` says, and records it. */
async function serve(answer: (request: Received) => Answer) {
  const received: Received[] = []
  const server = createServer((request, response) => {
    respond(request, response).catch((fault: unknown) => response.destroy(fault instanceof Error ? fault : undefined))
  })
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const one = { method: request.method ?? "", path: request.url ?? "", headers, body: await read(request) }
    received.push(one)
    const { status = 200, body } = answer(one)
    response.writeHead(status).end(body)
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => new Promise((resolve) => void server.close(() => resolve())))
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("no port")
  return { url: `http://127.0.0.1:${address.port}`, received }
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) if (chunk instanceof Uint8Array) chunks.push(chunk)
  return Buffer.concat(chunks).toString("utf8")
}

const until = "2999-01-01T00:00:00Z"

function stsAnswer(name: string): string {
  return `<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>ASIA${name}</AccessKeyId>
<SecretAccessKey>secret-of-${name}</SecretAccessKey><SessionToken>token-of-${name}</SessionToken>
<Expiration>${until}</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`
}

/** A Security Token Service: the keys are named after the last part of the role. */
function tokenService() {
  return serve(({ body }) => ({ body: stsAnswer(new URLSearchParams(body).get("RoleArn")?.split("/").at(-1) ?? "") }))
}

async function keysFrom(env: Environment, profile?: string) {
  const source = awsSource(env, profile === undefined ? undefined : { profile, key: "providers.bedrock.profile" })
  if (source === undefined) throw new Error("no source")
  const secrets: string[] = []
  const reading = await readAwsKeys(source, fetch, (_, value) => secrets.push(value))
  return { ...reading, secrets }
}

function roleKeys(name: string) {
  return { accessKeyId: `ASIA${name}`, secretAccessKey: `secret-of-${name}`, sessionToken: `token-of-${name}` }
}

/** The signature that AWS computes for a request with this secret. */
function signatureOf({ method, headers, body }: Received, secret: string): string {
  const authorization = headers["authorization"] ?? ""
  const [, scope = "", names = ""] = /Credential=[^/]+\/([^,]+), SignedHeaders=([^,]+)/.exec(authorization) ?? []
  const canonical = names.split(";").map((name) => `${name}:${headers[name]?.trim()}\n`)
  const hash = (text: string) => createHash("sha256").update(text).digest("hex")
  const request = [method, "/", "", canonical.join(""), names, hash(body)].join("\n")
  const text = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, hash(request)].join("\n")
  const key = scope
    .split("/")
    .reduce<string | Buffer>((before, part) => createHmac("sha256", before).update(part).digest(), `AWS4${secret}`)
  return createHmac("sha256", key).update(text).digest("hex")
}

describe("a profile with a role", () => {
  const base = "[base]\naws_access_key_id = AKIABASE\naws_secret_access_key = base-secret\n"

  it("assumes it with the keys of its source profile", async () => {
    const sts = await tokenService()
    const config =
      "[profile work]\nrole_arn = arn:aws:iam::1:role/Dev\nsource_profile = base\nexternal_id = ex\nrole_session_name = me\nduration_seconds = 900\nregion = eu-west-3\n"
    const home = homeWith({ credentials: base, config })
    const found = await keysFrom({ HOME: home, AWS_PROFILE: "work", AWS_ENDPOINT_URL_STS: sts.url })
    expect(found).toMatchObject({ value: roleKeys("Dev"), expiresAt: Date.parse(until) })
    expect(found.secrets).toContain("base-secret")
    expect(found.secrets).toContain("secret-of-Dev")
    const [request] = sts.received
    if (request === undefined) throw new Error("no request")
    expect(Object.fromEntries(new URLSearchParams(request.body))).toEqual({
      Action: "AssumeRole",
      Version: "2011-06-15",
      RoleArn: "arn:aws:iam::1:role/Dev",
      RoleSessionName: "me",
      ExternalId: "ex",
      DurationSeconds: "900",
    })
    expect(request.headers["authorization"]).toMatch(/Credential=AKIABASE\/\d{8}\/eu-west-3\/sts\/aws4_request/)
    expect(request.headers["authorization"]).toContain(`Signature=${signatureOf(request, "base-secret")}`)
  })

  it("may reach it through another role", async () => {
    const sts = await tokenService()
    const config =
      "[profile one]\nrole_arn = arn:aws:iam::1:role/One\nsource_profile = two\n[profile two]\nrole_arn = arn:aws:iam::1:role/Two\nsource_profile = base\n"
    const env = { HOME: homeWith({ credentials: base, config }), AWS_ENDPOINT_URL_STS: sts.url }
    expect((await keysFrom(env, "one")).value).toEqual(roleKeys("One"))
    expect(sts.received.map(({ headers }) => headers["x-amz-security-token"])).toEqual([undefined, "token-of-Two"])
  })

  it("may be its own source if it has keys", async () => {
    const sts = await tokenService()
    const config = "[profile base]\nrole_arn = arn:aws:iam::1:role/Own\nsource_profile = base\n"
    const env = { HOME: homeWith({ credentials: base, config }), AWS_ENDPOINT_URL_STS: sts.url }
    expect((await keysFrom(env, "base")).value).toEqual(roleKeys("Own"))
  })

  it("may assume it with the keys of the environment", async () => {
    const sts = await tokenService()
    const config = "[profile work]\nrole_arn = arn:aws:iam::1:role/Dev\ncredential_source = Environment\n"
    const env = { HOME: homeWith({ config }), AWS_ENDPOINT_URL_STS: sts.url }
    const keys = { AWS_ACCESS_KEY_ID: "AKIAENV", AWS_SECRET_ACCESS_KEY: "env-secret" }
    expect((await keysFrom({ ...env, ...keys }, "work")).value).toEqual(roleKeys("Dev"))
    expect(sts.received[0]?.headers["authorization"]).toContain("Credential=AKIAENV/")
    await expect(keysFrom(env, "work")).rejects.toThrow("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set.")
  })

  it.each([
    [
      "[profile a]\nrole_arn = r\nsource_profile = b\n[profile b]\nrole_arn = r\nsource_profile = a\n",
      "AWS profile a: source_profile leads in a circle (a, b, a).",
    ],
    ["[profile a]\nrole_arn = r\n", "has no source_profile. Add it, or credential_source ="],
    ["[profile a]\nrole_arn = r\nmfa_serial = m\nsource_profile = base\n", "a code of a second factor (mfa_serial)"],
    [
      "[profile a]\nrole_arn = r\nsource_profile = gone\n",
      /There is no AWS profile gone in .* Check providers\.bedrock\.profile \(a\)\.$/,
    ],
  ])("that cannot be used says why: %j", async (config, message) => {
    await expect(keysFrom({ HOME: homeWith({ credentials: base, config }) }, "a")).rejects.toThrow(message)
  })

  it("that AWS refuses says its code", async () => {
    const sts = await serve(() => ({
      status: 403,
      body: "<ErrorResponse><Error><Code>AccessDenied</Code><Message>secret text</Message></Error></ErrorResponse>",
    }))
    const config = "[profile a]\nrole_arn = r\nsource_profile = base\n"
    const env = { HOME: homeWith({ credentials: base, config }), AWS_ENDPOINT_URL_STS: sts.url }
    await expect(keysFrom(env, "a")).rejects.toThrow("AWS profile a: the role was not assumed (AccessDenied).")
    const nowhere = { ...env, AWS_ENDPOINT_URL_STS: "http://127.0.0.1:1/" }
    await expect(keysFrom(nowhere, "a")).rejects.toThrow("AWS profile a: 127.0.0.1:1 does not answer.")
  })
})

describe("a web identity", () => {
  it("becomes keys of its role, without a signature", async () => {
    const sts = await tokenService()
    const home = homeWith({})
    const tokenFile = join(home, "token")
    writeFileSync(tokenFile, "identity-token\n")
    const env = { HOME: home, AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile, AWS_ROLE_ARN: "arn:aws:iam::1:role/Pod" }
    const found = await keysFrom({ ...env, AWS_ENDPOINT_URL_STS: sts.url })
    expect(found).toMatchObject({ value: roleKeys("Pod"), expiresAt: Date.parse(until) })
    expect(found.secrets).toEqual(["identity-token", "secret-of-Pod"])
    expect(sts.received[0]?.headers["authorization"]).toBeUndefined()
    expect(Object.fromEntries(new URLSearchParams(sts.received[0]?.body))).toEqual({
      Action: "AssumeRoleWithWebIdentity",
      Version: "2011-06-15",
      RoleArn: "arn:aws:iam::1:role/Pod",
      RoleSessionName: "turnhouse",
      WebIdentityToken: "identity-token",
    })
    const missing = { ...env, AWS_WEB_IDENTITY_TOKEN_FILE: "/nowhere/token" }
    await expect(keysFrom(missing)).rejects.toThrow(
      "cannot be read: /nowhere/token. Check AWS_WEB_IDENTITY_TOKEN_FILE.",
    )
  })
})

const machineKeys = {
  AccessKeyId: "ASIAM",
  SecretAccessKey: "machine-secret",
  Token: "machine-token",
  Expiration: until,
}
const expectedKeys = { accessKeyId: "ASIAM", secretAccessKey: "machine-secret", sessionToken: "machine-token" }

describe("a container", () => {
  it("gives keys for its token", async () => {
    const agent = await serve(() => ({ body: JSON.stringify(machineKeys) }))
    const home = homeWith({})
    const env = { HOME: home, AWS_CONTAINER_CREDENTIALS_FULL_URI: `${agent.url}/v1/credentials` }
    const found = await keysFrom({ ...env, AWS_CONTAINER_AUTHORIZATION_TOKEN: "one" })
    expect(found).toMatchObject({ value: expectedKeys, expiresAt: Date.parse(until) })
    const file = join(home, "token")
    writeFileSync(file, "two\n")
    await keysFrom({ ...env, AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: file })
    expect(agent.received.map(({ path, headers }) => [path, headers["authorization"]])).toEqual([
      ["/v1/credentials", "one"],
      ["/v1/credentials", "two"],
    ])
  })

  it("is asked at the address that AWS gives all containers", async () => {
    const source = awsSource({ AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: "/v2/x" })
    const asked: string[] = []
    const answering: typeof fetch = async (input) => {
      asked.push(String(input instanceof Request ? input.url : input))
      return Response.json(machineKeys)
    }
    if (source === undefined) throw new Error("no source")
    expect(await readAwsKeys(source, answering, () => {})).toMatchObject({ value: expectedKeys })
    expect(asked).toEqual(["http://169.254.170.2/v2/x"])
  })

  it.each([
    [{ AWS_CONTAINER_CREDENTIALS_FULL_URI: "http://evil.example/x" }, "must begin with /"],
    [{ AWS_CONTAINER_CREDENTIALS_FULL_URI: "http://127.0.0.1:1/x" }, "The container gave no AWS keys (no answer)."],
  ])("that gives none says why: %j", async (env, message) => {
    await expect(keysFrom(env)).rejects.toThrow(message)
  })
})

describe("an instance", () => {
  it("gives the keys of its role for a token of the metadata service", async () => {
    const service = await serve(({ path }) => {
      if (path === "/latest/api/token") return { body: "metadata-token" }
      return { body: path.endsWith("/security-credentials/") ? "Role" : JSON.stringify(machineKeys) }
    })
    const found = await keysFrom({ AWS_EC2_METADATA_SERVICE_ENDPOINT: `${service.url}/` })
    expect(found).toMatchObject({ value: expectedKeys, expiresAt: Date.parse(until), secrets: ["machine-secret"] })
    expect(service.received.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "PUT /latest/api/token",
      "GET /latest/meta-data/iam/security-credentials/",
      "GET /latest/meta-data/iam/security-credentials/Role",
    ])
    expect(service.received[0]?.headers["x-aws-ec2-metadata-token-ttl-seconds"]).toBe("21600")
    expect(service.received[2]?.headers["x-aws-ec2-metadata-token"]).toBe("metadata-token")
  })

  it("without a role says so, and can be turned off", async () => {
    const service = await serve(({ path }) =>
      path === "/latest/api/token" ? { body: "t" } : { status: 404, body: "" },
    )
    const env = { AWS_EC2_METADATA_SERVICE_ENDPOINT: service.url }
    await expect(keysFrom(env)).rejects.toThrow("The instance gave no AWS keys (status 404). Give it a role,")
    expect(awsSource({ ...env, AWS_EC2_METADATA_DISABLED: "true" })).toBeUndefined()
  })
})

describe("a single sign-on that has expired", () => {
  it("is renewed, also for AWS's own tools", async () => {
    const oidc = await serve(() => ({
      body: JSON.stringify({ accessToken: "access-2", expiresIn: 3600, refreshToken: "refresh-2" }),
    }))
    const portal = await serve(() => ({
      body: JSON.stringify({ roleCredentials: { accessKeyId: "A", secretAccessKey: "S", sessionToken: "T" } }),
    }))
    const home = homeWith({
      config:
        "[sso-session corp]\nsso_region = eu-west-1\n[profile work]\nsso_session = corp\nsso_account_id = 1\nsso_role_name = Dev\n",
    })
    const file = join(home, ".aws", "sso", "cache", `${createHash("sha1").update("corp").digest("hex")}.json`)
    const client = { clientId: "client", clientSecret: "hush", registrationExpiresAt: until, startUrl: "kept" }
    const old = { accessToken: "access-1", expiresAt: "2020-01-01T00:00:00Z", refreshToken: "refresh-1", ...client }
    writeFileSync(file, JSON.stringify(old))
    const env = { HOME: home, AWS_ENDPOINT_URL_SSO_OIDC: oidc.url, AWS_ENDPOINT_URL_SSO: portal.url }
    expect((await keysFrom(env, "work")).value).toEqual({ accessKeyId: "A", secretAccessKey: "S", sessionToken: "T" })
    expect(oidc.received[0]).toMatchObject({ method: "POST", path: "/token" })
    expect(JSON.parse(oidc.received[0]?.body ?? "")).toEqual({
      clientId: "client",
      clientSecret: "hush",
      grantType: "refresh_token",
      refreshToken: "refresh-1",
    })
    expect(portal.received[0]?.headers["x-amz-sso_bearer_token"]).toBe("access-2")
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({
      ...client,
      accessToken: "access-2",
      refreshToken: "refresh-2",
    })
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })
})

it("Bedrock is called with the keys of a role, which is assumed once", async () => {
  const sts = await tokenService()
  const server = await startServer(hello, hello)
  const home = homeWith({
    credentials: "[base]\naws_access_key_id = AKIABASE\naws_secret_access_key = base-secret\n",
    config: "[profile work]\nrole_arn = arn:aws:iam::1:role/Dev\nsource_profile = base\nregion = eu-west-3\n",
  })
  const bedrock = { type: "amazon-bedrock", baseURL: server.url, profile: "work" } as const
  const source = createModelSource({
    config: { providers: { "amazon-bedrock": bedrock } },
    env: { HOME: home, AWS_ENDPOINT_URL_STS: sts.url, AWS_BEARER_TOKEN_BEDROCK: "not-this-one" },
    localServers: [],
  })
  const choice = await source.resolve("amazon-bedrock/amazon.nova-pro-v1:0")
  for (const _ of [1, 2]) expect(textOf(await ask({ ...choice, server }))).toBe("Hello from the other side.")
  expect(server.requests[0]?.headers).toMatchObject({ "x-amz-security-token": "token-of-Dev" })
  expect(server.requests[0]?.headers["authorization"]).toMatch(/Credential=ASIADev\/\d+\/eu-west-3/)
  expect(sts.received).toHaveLength(1)
  expect(await source.defaultModel()).toBe("offline/demo")
})
