// Where the keys of AWS come from, by the variables that AWS's own tools read. Reading them is apart (read-keys.ts): few
// sessions need it, and all load this file.
import { readFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import type { AwsSource, Environment } from "../../providers/provider.ts"

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
  const named = setVariable(env, "AWS_PROFILE")
  if (named !== undefined)
    return { ...files, from: { kind: "profile", profile: named }, source: `AWS_PROFILE (${named})` }
  const tokenFile = setVariable(env, "AWS_WEB_IDENTITY_TOKEN_FILE")
  const roleArn = setVariable(env, "AWS_ROLE_ARN")
  if (tokenFile !== undefined && roleArn !== undefined)
    return { ...files, from: { kind: "web-identity", tokenFile, roleArn }, source: "AWS_WEB_IDENTITY_TOKEN_FILE" }
  const container = ["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI"]
  const inContainer = container.find((name) => setVariable(env, name) !== undefined)
  if (inContainer !== undefined) return { ...files, from: { kind: "container" }, source: inContainer }
  return isInstance(env)
    ? { ...files, from: { kind: "instance" }, source: "the role of the instance", isAmbient: true }
    : undefined
}

export function setVariable(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim()
  return value === undefined || value === "" ? undefined : value
}

/** Nothing is asked for it: on other machines the address of the metadata service leads nowhere, or to another program. */
function isInstance(env: Environment): boolean {
  if (setVariable(env, "AWS_EC2_METADATA_DISABLED")?.toLowerCase() === "true") return false
  return setVariable(env, "AWS_EC2_METADATA_SERVICE_ENDPOINT") !== undefined || hasInstanceVendor()
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
