// Keys of a role, from the Security Token Service of AWS: with the keys of a caller, or with the token of another identity
// provider.
import { readFile } from "node:fs/promises"
import { readTextBounded } from "../../catalogue/read-json.ts"
import { ModelUnavailable } from "../../model-source.ts"
import type { AwsSource } from "../../providers/provider.ts"
import type { Reading } from "../cached.ts"
import { awsKeys, type AwsKeys, type AwsRequest } from "./aws-keys.ts"

const REQUEST_MS = 10_000
const MAX_ANSWER_BYTES = 256 * 1024
const API_VERSION = "2011-06-15"

export interface AssumedRole {
  /** For messages. */
  readonly what: string
  readonly roleArn: string
  readonly sessionName: string | undefined
  readonly externalId: string | undefined
  readonly seconds: string | undefined
  readonly region: string | undefined
}

export async function assumedKeys(role: AssumedRole, caller: AwsKeys, request: AwsRequest): Promise<Reading<AwsKeys>> {
  const { AwsV4Signer } = await import("aws4fetch")
  const region = regionOf(request.source, role.region)
  const { accessKeyId, secretAccessKey, sessionToken } = caller
  const body = form("AssumeRole", {
    RoleArn: role.roleArn,
    RoleSessionName: role.sessionName ?? "turnhouse",
    ExternalId: role.externalId,
    DurationSeconds: role.seconds,
  })
  const keys = { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) }
  const url = endpoint(request.source, region)
  const signed = await new AwsV4Signer({
    ...keys,
    method: "POST",
    url,
    headers: formHeaders,
    body,
    service: "sts",
    region,
  }).sign()
  return answerOf(role.what, signed.url, { headers: signed.headers, body }, request)
}

export interface WebIdentityRole {
  readonly roleArn: string
  readonly tokenFile: string
  readonly sessionName: string | undefined
}

export async function webIdentityKeys(role: WebIdentityRole, request: AwsRequest): Promise<Reading<AwsKeys>> {
  const token = await readFile(role.tokenFile, "utf8").catch(() => undefined)
  if (token === undefined)
    throw new ModelUnavailable(
      `The token of the web identity cannot be read: ${role.tokenFile}. Check ${request.source.source}.`,
    )
  const WebIdentityToken = token.trim()
  request.onSecret("AWS web identity token", WebIdentityToken)
  const body = form("AssumeRoleWithWebIdentity", {
    RoleArn: role.roleArn,
    RoleSessionName: role.sessionName ?? "turnhouse",
    WebIdentityToken,
  })
  const url = endpoint(request.source, regionOf(request.source, undefined))
  return answerOf(`The role ${role.roleArn}`, url, { headers: formHeaders, body }, request)
}

const formHeaders = { "content-type": "application/x-www-form-urlencoded; charset=utf-8" }

function form(action: string, fields: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams({ Action: action, Version: API_VERSION })
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) query.set(name, value)
  return query.toString()
}

function regionOf({ env }: AwsSource, ofProfile: string | undefined): string {
  return env["AWS_REGION"] ?? env["AWS_DEFAULT_REGION"] ?? ofProfile ?? "us-east-1"
}

function endpoint({ env }: AwsSource, region: string): string {
  const domain = region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
  return env["AWS_ENDPOINT_URL_STS"] ?? env["AWS_ENDPOINT_URL"] ?? `https://sts.${region}.${domain}/`
}

async function answerOf(
  what: string,
  url: string | URL,
  init: Pick<RequestInit, "headers" | "body">,
  { fetch, onSecret }: AwsRequest,
): Promise<Reading<AwsKeys>> {
  const signal = AbortSignal.timeout(REQUEST_MS)
  const sent = await fetch(url, { ...init, method: "POST", redirect: "error", signal }).catch(() => undefined)
  if (sent === undefined) throw new ModelUnavailable(`${what}: ${new URL(url).host} does not answer.`)
  const xml = await readTextBounded(sent, MAX_ANSWER_BYTES).catch(() => "")
  const [id, secret, token] = ["AccessKeyId", "SecretAccessKey", "SessionToken"].map((name) => element(xml, name))
  if (!sent.ok || id === undefined || secret === undefined)
    throw new ModelUnavailable(`${what}: the role was not assumed (${codeIn(xml) ?? `status ${sent.status}`}).`)
  onSecret("AWS role", secret)
  const expiresAt = Date.parse(element(xml, "Expiration") ?? "")
  return { value: awsKeys(id, secret, token), ...(Number.isNaN(expiresAt) ? {} : { expiresAt }) }
}

/** The answers have each of these elements once, without attributes. */
function element(xml: string, name: string): string | undefined {
  const start = xml.indexOf(`<${name}>`)
  const end = xml.indexOf(`</${name}>`, start)
  return start === -1 || end === -1 ? undefined : xml.slice(start + name.length + 2, end)
}

/** `AccessDenied`, never the free text. */
function codeIn(xml: string): string | undefined {
  const code = element(xml, "Code")
  return code !== undefined && /^[\w.]{1,60}$/.test(code) ? code : undefined
}
