// Credentials of an AWS profile: static keys, a credential process, or a single sign-on that is still valid. Roles of other
// accounts, web identities, containers and instances are not read; the message says so.
import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import { isObject, tryParseJson } from "../../contract/json-object.ts"
import { ModelUnavailable } from "../model-source.ts"
import type { AwsProfileSource, Fetch } from "../providers/provider.ts"
import type { Reading } from "./cached.ts"
import { commandOutput } from "./command-output.ts"

export interface AwsKeys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

type Section = Readonly<Record<string, string>>

const REQUEST_MS = 10_000

export async function profileRegion(source: AwsProfileSource): Promise<string | undefined> {
  return (await sectionsOf(source)).profile["region"]
}

export async function profileKeys(source: AwsProfileSource, fetch: Fetch): Promise<Reading<AwsKeys>> {
  const { profile, sso } = await sectionsOf(source)
  const what = `AWS profile ${source.profile}`
  const { aws_access_key_id: accessKeyId, aws_secret_access_key: secretAccessKey } = profile
  if (accessKeyId !== undefined && secretAccessKey !== undefined)
    return { value: keysOf(accessKeyId, secretAccessKey, profile["aws_session_token"]) }
  const process = profile["credential_process"]
  if (process !== undefined) return fromProcess(await commandOutput(["/bin/sh", "-c", process], what), what)
  if (sso !== undefined) return fromSignOn({ ...sso, ...profile }, source, fetch)
  if (profile["role_arn"] !== undefined)
    throw new ModelUnavailable(
      `${what} assumes a role (role_arn), which is not supported. Use a credential_process such as 'aws configure export-credentials', or single sign-on.`,
    )
  throw new ModelUnavailable(`${what} has no keys in ${source.credentialsFile} or ${source.configFile}.`)
}

async function sectionsOf(source: AwsProfileSource): Promise<{ profile: Section; sso: Section | undefined }> {
  const { profile: name, credentialsFile, configFile } = source
  const [credentials, config] = await Promise.all([readSections(credentialsFile), readSections(configFile)])
  const configured = config.get(name === "default" ? name : `profile ${name}`) ?? config.get(`profile ${name}`)
  const stored = credentials.get(name)
  if (configured === undefined && stored === undefined)
    throw new ModelUnavailable(
      `There is no AWS profile ${name} in ${credentialsFile} or ${configFile}. Check AWS_PROFILE.`,
    )
  const profile = { ...configured, ...stored }
  const session = profile["sso_session"]
  const hasSignOn = session !== undefined || profile["sso_start_url"] !== undefined
  return { profile, sso: hasSignOn ? (config.get(`sso-session ${session}`) ?? {}) : undefined }
}

async function readSections(file: string): Promise<ReadonlyMap<string, Section>> {
  const text = await readFile(file, "utf8").catch(() => "") // either file may be missing
  const sections = new Map<string, Record<string, string>>()
  let current: Record<string, string> = {}
  for (const line of text.split("\n")) {
    const trimmed = line.trim()
    if (trimmed.startsWith("[") && trimmed.endsWith("]")) {
      current = {}
      sections.set(trimmed.slice(1, -1).trim().split(/\s+/).join(" "), current)
    }
    const equals = trimmed.indexOf("=")
    const isSetting = equals > 0 && !trimmed.startsWith("#") && !/^\s/.test(line)
    if (isSetting) current[trimmed.slice(0, equals).trim().toLowerCase()] = trimmed.slice(equals + 1).trim()
  }
  return sections
}

function keysOf(accessKeyId: string, secretAccessKey: string, sessionToken: unknown): AwsKeys {
  return { accessKeyId, secretAccessKey, ...(typeof sessionToken === "string" ? { sessionToken } : {}) }
}

function fromProcess(output: string, what: string): Reading<AwsKeys> {
  const answer = tryParseJson(output)
  const {
    AccessKeyId: id,
    SecretAccessKey: secret,
    SessionToken: token,
    Expiration: until,
  } = isObject(answer) ? answer : {}
  if (typeof id !== "string" || typeof secret !== "string")
    throw new ModelUnavailable(`${what}: credential_process did not print AccessKeyId and SecretAccessKey as JSON.`)
  const expiresAt = typeof until === "string" ? Date.parse(until) : Number.NaN
  return { value: keysOf(id, secret, token), ...(Number.isNaN(expiresAt) ? {} : { expiresAt }) }
}

/** With the token that `aws sso login` has stored. */
async function fromSignOn(settings: Section, source: AwsProfileSource, fetch: Fetch): Promise<Reading<AwsKeys>> {
  const { sso_session: session, sso_start_url: url = "", sso_region: region = "us-east-1" } = settings
  const login = `aws sso login --profile ${source.profile}`
  const file = join(
    source.ssoFolder,
    `${createHash("sha1")
      .update(session ?? url)
      .digest("hex")}.json`,
  )
  const token = tryParseJson(await readFile(file, "utf8").catch(() => ""))
  const { accessToken, expiresAt } = isObject(token) ? token : {}
  if (typeof accessToken !== "string" || typeof expiresAt !== "string" || Date.parse(expiresAt) <= Date.now())
    throw new ModelUnavailable(`AWS profile ${source.profile}: the single sign-on has expired. Run '${login}'.`)
  const query = new URLSearchParams({
    account_id: settings["sso_account_id"] ?? "",
    role_name: settings["sso_role_name"] ?? "",
  })
  const response = await fetch(
    `https://portal.sso.${region}.amazonaws.com/federation/credentials?${query.toString()}`,
    {
      headers: { "x-amz-sso_bearer_token": accessToken },
      signal: AbortSignal.timeout(REQUEST_MS),
    },
  )
  const answer: unknown = response.ok ? await response.json() : undefined
  const given = isObject(answer) && isObject(answer["roleCredentials"]) ? answer["roleCredentials"] : {}
  const { accessKeyId, secretAccessKey, sessionToken, expiration } = given
  if (typeof accessKeyId !== "string" || typeof secretAccessKey !== "string")
    throw new ModelUnavailable(
      `AWS profile ${source.profile}: single sign-on gave no keys (${response.status}). Run '${login}'.`,
    )
  const until = typeof expiration === "number" ? { expiresAt: expiration } : {}
  return { value: keysOf(accessKeyId, secretAccessKey, sessionToken), ...until }
}

/** Undefined without AWS_PROFILE. */
export function awsProfile(env: Readonly<Record<string, string | undefined>>): AwsProfileSource | undefined {
  const profile = env["AWS_PROFILE"]?.trim()
  if (profile === undefined || profile === "") return undefined
  const folder = join(env["HOME"] ?? homedir(), ".aws")
  return {
    kind: "aws-profile",
    profile,
    credentialsFile: env["AWS_SHARED_CREDENTIALS_FILE"] ?? join(folder, "credentials"),
    configFile: env["AWS_CONFIG_FILE"] ?? join(folder, "config"),
    ssoFolder: join(folder, "sso", "cache"),
    source: `AWS_PROFILE (${profile})`,
  }
}
