// Keys of AWS, and what reading them needs.
import { isObject } from "../../../contract/json-object.ts"
import type { AwsSource, Fetch } from "../../providers/provider.ts"
import type { Reading } from "../cached.ts"
import type { OnSecret } from "../late-key.ts"

export interface AwsKeys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

export interface AwsRequest {
  readonly source: AwsSource
  readonly fetch: Fetch
  /** Called with every secret before it is used. */
  readonly onSecret: OnSecret
}

export function awsKeys(accessKeyId: string, secretAccessKey: string, sessionToken: unknown): AwsKeys {
  return { accessKeyId, secretAccessKey, ...(typeof sessionToken === "string" ? { sessionToken } : {}) }
}

/** As credential processes, containers and instances give them. Undefined if there are none. */
export function keysIn(answer: unknown): Reading<AwsKeys> | undefined {
  const { AccessKeyId: id, SecretAccessKey: secret, SessionToken, Token, Expiration } = isObject(answer) ? answer : {}
  if (typeof id !== "string" || typeof secret !== "string") return undefined
  const expiresAt = typeof Expiration === "string" ? Date.parse(Expiration) : Number.NaN
  return { value: awsKeys(id, secret, SessionToken ?? Token), ...(Number.isNaN(expiresAt) ? {} : { expiresAt }) }
}

/** Undefined without both variables. */
export function keysInEnvironment({ env }: AwsSource): Reading<AwsKeys> | undefined {
  const { AWS_ACCESS_KEY_ID: id = "", AWS_SECRET_ACCESS_KEY: secret = "", AWS_SESSION_TOKEN: token } = env
  return id === "" || secret === "" ? undefined : { value: awsKeys(id, secret, token === "" ? undefined : token) }
}
