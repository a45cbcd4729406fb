// Keys of a single sign-on, with the token that `aws sso login` has stored. An expired token is renewed as AWS's own tools
// do it: the new one takes its place in their cache.
import { createHash, randomBytes } from "node:crypto"
import { readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { isObject, tryParseJson } from "../../../contract/json-object.ts"
import { readJsonBounded } from "../../catalogue/read-json.ts"
import { ModelUnavailable } from "../../model-source.ts"
import type { AwsSource } from "../../providers/provider.ts"
import type { Reading } from "../cached.ts"
import { awsKeys, type AwsKeys, type AwsRequest } from "./aws-keys.ts"
import type { Section } from "./profile-files.ts"

const REQUEST_MS = 10_000

export async function signOnKeys(name: string, settings: Section, request: AwsRequest): Promise<Reading<AwsKeys>> {
  const { sso_session: session, sso_start_url: url = "", sso_region: region = "us-east-1" } = settings
  const login = `Run 'aws sso login --profile ${name}'.`
  const token = await tokenOf(cacheFile(session ?? url, request.source), region, request)
  if (token === undefined) throw new ModelUnavailable(`AWS profile ${name}: the single sign-on has expired. ${login}`)
  request.onSecret("AWS single sign-on", token)
  const query = new URLSearchParams({
    account_id: settings["sso_account_id"] ?? "",
    role_name: settings["sso_role_name"] ?? "",
  })
  const portal = request.source.env["AWS_ENDPOINT_URL_SSO"] ?? `https://portal.sso.${region}.amazonaws.com`
  const response = await request.fetch(`${portal}/federation/credentials?${query.toString()}`, {
    headers: { "x-amz-sso_bearer_token": token },
    signal: AbortSignal.timeout(REQUEST_MS),
  })
  const answer: unknown = response.ok ? await readJsonBounded(response) : undefined
  const given = isObject(answer) && isObject(answer["roleCredentials"]) ? answer["roleCredentials"] : {}
  const { accessKeyId, secretAccessKey, sessionToken, expiration } = given
  if (typeof accessKeyId !== "string" || typeof secretAccessKey !== "string")
    throw new ModelUnavailable(`AWS profile ${name}: single sign-on gave no keys (${response.status}). ${login}`)
  const until = typeof expiration === "number" ? { expiresAt: expiration } : {}
  return { value: awsKeys(accessKeyId, secretAccessKey, sessionToken), ...until }
}

function cacheFile(key: string, { ssoFolder }: AwsSource): string {
  return join(ssoFolder, `${createHash("sha1").update(key).digest("hex")}.json`)
}

/** Undefined if the user must log in again. */
async function tokenOf(file: string, region: string, request: AwsRequest): Promise<string | undefined> {
  const stored = tryParseJson(await readFile(file, "utf8").catch(() => ""))
  const cached = isObject(stored) ? stored : {}
  const { accessToken, expiresAt } = cached
  if (typeof accessToken === "string" && isAhead(expiresAt)) return accessToken
  const renewed = await renewedToken(cached, region, request)
  if (renewed === undefined) return undefined
  await replaceFile(file, { ...cached, ...renewed })
  return renewed.accessToken
}

interface RenewedToken {
  readonly accessToken: string
  readonly expiresAt: string
  readonly refreshToken?: string
}

async function renewedToken(
  cached: Readonly<Record<string, unknown>>,
  region: string,
  { source, fetch, onSecret }: AwsRequest,
): Promise<RenewedToken | undefined> {
  const { clientId, clientSecret, refreshToken, registrationExpiresAt } = cached
  const isRenewable = [clientId, clientSecret, refreshToken].every((field) => typeof field === "string")
  if (!isRenewable || !isAhead(registrationExpiresAt)) return undefined
  const url = source.env["AWS_ENDPOINT_URL_SSO_OIDC"] ?? `https://oidc.${region}.amazonaws.com`
  const response = await fetch(`${url}/token`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ clientId, clientSecret, grantType: "refresh_token", refreshToken }),
    redirect: "error",
    signal: AbortSignal.timeout(REQUEST_MS),
  })
  const answer: unknown = response.ok ? await readJsonBounded(response) : undefined
  const { accessToken, expiresIn, refreshToken: next } = isObject(answer) ? answer : {}
  if (typeof accessToken !== "string" || typeof expiresIn !== "number") return undefined
  if (typeof next === "string") onSecret("AWS single sign-on", next)
  const expiresAt = new Date(Date.now() + expiresIn * 1000).toISOString().replace(/\.\d+Z$/, "Z")
  return { accessToken, expiresAt, ...(typeof next === "string" ? { refreshToken: next } : {}) }
}

function isAhead(time: unknown): boolean {
  return typeof time === "string" && Date.parse(time) > Date.now()
}

async function replaceFile(file: string, content: object): Promise<void> {
  const aside = `${file}.${randomBytes(6).toString("hex")}`
  try {
    await writeFile(aside, JSON.stringify(content), { mode: 0o600, flag: "wx" })
    await rename(aside, file)
  } catch (fault) {
    await rm(aside, { force: true })
    throw new ModelUnavailable(`${file} cannot be written. Check its owner.`, { cause: fault })
  }
}
