// Keys that the surroundings of this process give: a container's agent, or the metadata service of an instance.
import { readFile } from "node:fs/promises"
import { readJsonBounded, readTextBounded } from "../../catalogue/read-json.ts"
import { ModelUnavailable } from "../../model-source.ts"
import type { AwsSource, Fetch } from "../../providers/provider.ts"
import type { Reading } from "../cached.ts"
import { keysIn, type AwsKeys, type AwsRequest } from "./aws-keys.ts"

/** Both are on the same machine. */
const REQUEST_MS = 1000
const MAX_ANSWER_BYTES = 16 * 1024
const TOKEN_SECONDS = "21600"

export async function containerKeys({ source, fetch, onSecret }: AwsRequest): Promise<Reading<AwsKeys>> {
  const url = containerAddress(source)
  const token = await containerToken(source)
  if (token !== undefined) onSecret("AWS container token", token)
  const headers = token === undefined ? {} : { authorization: token }
  const keys = await ask(fetch, url, { headers }, async (response) => keysIn(await readJsonBounded(response)))
  if (typeof keys === "string") throw new ModelUnavailable(`The container gave no AWS keys (${keys}). Check its role.`)
  onSecret("AWS container", keys.value.secretAccessKey)
  return keys
}

/** Hosts that get requests without encryption, as AWS's own tools allow them. */
const containerHosts = new Set(["169.254.170.2", "169.254.170.23", "[fd00:ec2::23]", "localhost", "127.0.0.1", "[::1]"])

function containerAddress({ env }: AwsSource): string {
  const relative = env["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] ?? ""
  if (relative.startsWith("/")) return `http://169.254.170.2${relative}`
  const full = env["AWS_CONTAINER_CREDENTIALS_FULL_URI"] ?? ""
  const url = URL.canParse(full) ? new URL(full) : undefined
  if (url?.protocol === "https:" || (url !== undefined && containerHosts.has(url.hostname))) return full
  throw new ModelUnavailable(
    "There are no AWS keys of a container: AWS_CONTAINER_CREDENTIALS_RELATIVE_URI must begin with /, AWS_CONTAINER_CREDENTIALS_FULL_URI with https:// or the address of this machine.",
  )
}

async function containerToken({ env }: AwsSource): Promise<string | undefined> {
  const file = env["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"]
  if (file === undefined) return env["AWS_CONTAINER_AUTHORIZATION_TOKEN"]
  const token = await readFile(file, "utf8").catch(() => undefined)
  if (token !== undefined) return token.trim()
  throw new ModelUnavailable(`${file} cannot be read. Check AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE.`)
}

/** Version 2 of the service: with a token that a request from elsewhere could not get. */
export async function instanceKeys({ source, fetch, onSecret }: AwsRequest): Promise<Reading<AwsKeys>> {
  const base = (source.env["AWS_EC2_METADATA_SERVICE_ENDPOINT"] ?? "http://169.254.169.254").replace(/\/$/, "")
  const lifetime = { "x-aws-ec2-metadata-token-ttl-seconds": TOKEN_SECONDS }
  const token = await ask(fetch, `${base}/latest/api/token`, { method: "PUT", headers: lifetime }, readLine)
  if (typeof token === "string") throw noInstanceKeys(token)
  const headers = { "x-aws-ec2-metadata-token": token.line }
  const path = `${base}/latest/meta-data/iam/security-credentials/`
  const role = await ask(fetch, path, { headers }, readLine)
  if (typeof role === "string") throw noInstanceKeys(role)
  const keys = await ask(fetch, `${path}${encodeURIComponent(role.line)}`, { headers }, async (response) =>
    keysIn(await readJsonBounded(response)),
  )
  if (typeof keys === "string") throw noInstanceKeys(keys)
  onSecret("AWS instance", keys.value.secretAccessKey)
  return keys
}

function noInstanceKeys(reason: string): ModelUnavailable {
  return new ModelUnavailable(
    `The instance gave no AWS keys (${reason}). Give it a role, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE.`,
  )
}

async function readLine(response: Response): Promise<{ readonly line: string } | undefined> {
  const [line = ""] = (await readTextBounded(response, MAX_ANSWER_BYTES)).trim().split("\n")
  return line === "" ? undefined : { line }
}

/** What was read, or why there is nothing. */
async function ask<Value extends object>(
  fetch: Fetch,
  url: string,
  init: RequestInit,
  read: (response: Response) => Promise<Value | undefined>,
): Promise<Value | string> {
  try {
    const response = await fetch(url, { ...init, redirect: "error", signal: AbortSignal.timeout(REQUEST_MS) })
    if (response.ok) return (await read(response)) ?? "the answer has none"
    await response.body?.cancel()
    return `status ${response.status}`
  } catch {
    return "no answer"
  }
}
