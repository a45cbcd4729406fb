// Where the keys of AWS come from, by the variables that AWS's own tools read, and the reading of them.
import { readFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { ModelUnavailable } from "../../model-source.ts"
import type { AwsSource, Environment, Fetch } from "../../providers/provider.ts"
import type { Reading } from "../cached.ts"
import type { OnSecret } from "../late-key.ts"
import type { AwsKeys, AwsRequest } from "./aws-keys.ts"
import { containerKeys, instanceKeys } from "./machine-keys.ts"
import { profileKeys, profileRegion } from "./profile-keys.ts"
import { webIdentityKeys } from "./role-keys.ts"

/** A profile of the configuration, with the key that has it. */
export interface ConfiguredProfile {
  readonly profile: string
  readonly key: string
}

/** Undefined if nothing says that there are keys. */
export function awsSource(env: Environment, configured?: ConfiguredProfile): AwsSource | undefined {
  const folder = join(env["HOME"] ?? homedir(), ".aws")
  const files = {
    kind: "aws-source",
    env,
    credentialsFile: env["AWS_SHARED_CREDENTIALS_FILE"] ?? join(folder, "credentials"),
    configFile: env["AWS_CONFIG_FILE"] ?? join(folder, "config"),
    ssoFolder: join(folder, "sso", "cache"),
  } as const
  if (configured !== undefined) {
    const { profile, key } = configured
    return { ...files, from: { kind: "profile", profile }, source: `${key} (${profile})` }
  }
  const named = set(env, "AWS_PROFILE")
  if (named !== undefined)
    return { ...files, from: { kind: "profile", profile: named }, source: `AWS_PROFILE (${named})` }
  const tokenFile = set(env, "AWS_WEB_IDENTITY_TOKEN_FILE")
  const roleArn = set(env, "AWS_ROLE_ARN")
  if (tokenFile !== undefined && roleArn !== undefined)
    return { ...files, from: { kind: "web-identity", tokenFile, roleArn }, source: "AWS_WEB_IDENTITY_TOKEN_FILE" }
  const container = ["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI"]
  const inContainer = container.find((name) => set(env, name) !== undefined)
  if (inContainer !== undefined) return { ...files, from: { kind: "container" }, source: inContainer }
  return isInstance(env)
    ? { ...files, from: { kind: "instance" }, source: "the role of the instance", isAmbient: true }
    : undefined
}

export function readAwsKeys(source: AwsSource, fetch: Fetch, onSecret: OnSecret): Promise<Reading<AwsKeys>> {
  const request: AwsRequest = { source, fetch, onSecret }
  const { from } = source
  switch (from.kind) {
    case "profile":
      return profileKeys(from.profile, request)
    case "web-identity":
      return webIdentityKeys({ ...from, sessionName: set(source.env, "AWS_ROLE_SESSION_NAME") }, request)
    case "container":
      return containerKeys(request)
    case "instance":
      return instanceKeys(request)
  }
}

/** Of the profile. Elsewhere only variables and the configuration have one. */
export async function awsRegion(source: AwsSource): Promise<string> {
  const { from, configFile } = source
  const region = from.kind === "profile" ? await profileRegion(from.profile, source) : undefined
  if (region !== undefined) return region
  const inFile = from.kind === "profile" ? `, or region in ${configFile}` : ""
  throw new ModelUnavailable(`${source.source}: there is no region. Set AWS_REGION${inFile}.`)
}

function set(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim()
  return value === undefined || value === "" ? undefined : value
}

/** Nothing is asked for it: on other machines the address of the metadata service leads nowhere, or to another program. */
function isInstance(env: Environment): boolean {
  if (set(env, "AWS_EC2_METADATA_DISABLED")?.toLowerCase() === "true") return false
  return set(env, "AWS_EC2_METADATA_SERVICE_ENDPOINT") !== undefined || hasInstanceVendor()
}

let vendor: string | undefined

function hasInstanceVendor(): boolean {
  vendor ??= machineVendor()
  return vendor.trim() === "Amazon EC2"
}

function machineVendor(): string {
  if (process.platform !== "linux") return ""
  try {
    return readFileSync("/sys/class/dmi/id/sys_vendor", "utf8")
  } catch {
    return "" // a machine that does not say
  }
}
