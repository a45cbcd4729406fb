// Access tokens of Google Cloud: from the file of a service account or of `gcloud auth application-default login`, or from
// the metadata server. Tokens are kept in memory only.
import { readFile } from "node:fs/promises"
import { isObject, tryParseJson } from "../../contract/json-object.ts"
import { readJsonBounded } from "../catalogue/read-json.ts"
import { ModelUnavailable } from "../model-source.ts"
import type { Fetch, GoogleSource } from "../providers/provider.ts"
import type { Reading } from "./cached.ts"
import type { OnSecret } from "./late-key.ts"

const SCOPE = "https://www.googleapis.com/auth/cloud-platform"
const TOKEN_URL = "https://oauth2.googleapis.com/token"
const REQUEST_MS = 10_000
/** The metadata server is on the same machine. */
const METADATA_MS = 1000
const PROOF_SECONDS = 600

export interface GoogleFile {
  readonly project: string | undefined
  /** Is charged for the requests of a user. */
  readonly quotaProject: string | undefined
}

type Fields = Readonly<Record<string, unknown>>

export async function readGoogleFile(source: GoogleSource): Promise<GoogleFile | undefined> {
  if (source.file === undefined) return undefined
  const fields = await fieldsOf(source, source.file)
  const quotaProject = text(fields, "quota_project_id")
  return { project: text(fields, "project_id") ?? quotaProject, quotaProject }
}

/** `onSecret` gets everything in the file that proves who the user is, and the token. */
export async function googleToken(
  source: GoogleSource,
  fetch: Fetch,
  onSecret: OnSecret = () => {},
): Promise<Reading<string>> {
  const reading =
    source.file === undefined
      ? await fromMetadata(source, fetch)
      : await fromFile(source, await fieldsOf(source, source.file), fetch, onSecret)
  onSecret("Google access token", reading.value)
  return reading
}

async function fieldsOf({ source }: GoogleSource, file: string): Promise<Fields> {
  const content = await readFile(file, "utf8").catch(() => undefined)
  if (content === undefined) throw new ModelUnavailable(`${file} cannot be read. Check ${source}.`)
  const fields = tryParseJson(content)
  if (isObject(fields)) return fields
  throw new ModelUnavailable(`${file} has no credentials of Google Cloud. Check ${source}.`)
}

async function fromFile(
  { source, file = "" }: GoogleSource,
  fields: Fields,
  fetch: Fetch,
  onSecret: OnSecret,
): Promise<Reading<string>> {
  const url = text(fields, "token_uri") ?? TOKEN_URL
  for (const name of ["private_key", "client_secret", "refresh_token"]) {
    const secret = text(fields, name)
    if (secret !== undefined) onSecret(`Google ${name}`, secret)
  }
  const form = await grantOf(fields, url)
  if (form === undefined) throw new ModelUnavailable(unsupported(file, text(fields, "type") ?? "of an unknown type"))
  const body = new URLSearchParams(form).toString()
  const headers = { "content-type": "application/x-www-form-urlencoded" }
  const answer = await requestToken(url, { method: "POST", headers, body }, fetch, REQUEST_MS)
  if ("token" in answer) return answer.token
  throw new ModelUnavailable(`Google gave no access token (${answer.problem}) for ${file}: check ${source}.`)
}

/** Undefined for a file of another type. */
async function grantOf(fields: Fields, url: string): Promise<Record<string, string> | undefined> {
  const { client_email: email, private_key: key, private_key_id: keyId } = fields
  if (fields["type"] === "service_account" && typeof email === "string" && typeof key === "string")
    return {
      grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
      assertion: await proofOf({ email, key, keyId: typeof keyId === "string" ? keyId : undefined }, url),
    }
  const { client_id: id, client_secret: secret, refresh_token: refresh } = fields
  const isUser = [id, secret, refresh].every((field) => typeof field === "string")
  if (fields["type"] !== "authorized_user" || !isUser) return undefined
  return {
    grant_type: "refresh_token",
    client_id: String(id),
    client_secret: String(secret),
    refresh_token: String(refresh),
  }
}

interface ServiceAccount {
  readonly email: string
  readonly key: string
  readonly keyId: string | undefined
}

async function proofOf({ email, key, keyId }: ServiceAccount, audience: string): Promise<string> {
  const { importPKCS8, SignJWT } = await import("jose")
  try {
    const header = { alg: "RS256", typ: "JWT", ...(keyId === undefined ? {} : { kid: keyId }) }
    const claims = new SignJWT({ scope: SCOPE }).setProtectedHeader(header).setIssuer(email).setAudience(audience)
    return await claims
      .setIssuedAt()
      .setExpirationTime(`${PROOF_SECONDS}s`)
      .sign(await importPKCS8(key, "RS256"))
  } catch (fault) {
    throw new ModelUnavailable(`The private_key of ${email} cannot be used. Create a new key for it.`, { cause: fault })
  }
}

async function fromMetadata({ metadataHost }: GoogleSource, fetch: Fetch): Promise<Reading<string>> {
  const url = `http://${metadataHost}/computeMetadata/v1/instance/service-accounts/default/token`
  const answer = await requestToken(url, { headers: { "metadata-flavor": "Google" } }, fetch, METADATA_MS)
  if ("token" in answer) return answer.token
  throw new ModelUnavailable(
    `The metadata server of Google Cloud gave no access token (${answer.problem}). Set GOOGLE_APPLICATION_CREDENTIALS, or run 'gcloud auth application-default login'.`,
  )
}

type TokenAnswer = { readonly token: Reading<string> } | { readonly problem: string }

async function requestToken(url: string, init: RequestInit, fetch: Fetch, timeoutMs: number): Promise<TokenAnswer> {
  try {
    const response = await fetch(url, { ...init, redirect: "error", signal: AbortSignal.timeout(timeoutMs) })
    const answer = await readJsonBounded(response)
    const { access_token: token, expires_in: seconds, error } = isObject(answer) ? answer : {}
    if (!response.ok || typeof token !== "string" || token === "")
      return { problem: typeof error === "string" && /^\w{1,60}$/.test(error) ? error : `status ${response.status}` }
    const expiresAt = typeof seconds === "number" ? Date.now() + seconds * 1000 : undefined
    return { token: { value: token, expiresAt } }
  } catch {
    return { problem: "no answer" }
  }
}

function unsupported(file: string, type: string): string {
  return `Credentials ${type} in ${file} are not supported. Set providers.NAME.apiKey to {"command": ["gcloud", "auth", "application-default", "print-access-token"]}.`
}

function text(fields: Fields, name: string): string | undefined {
  const value = fields[name]
  return typeof value === "string" && value !== "" ? value : undefined
}
