// Keys of an AWS profile: a role that another profile or this machine assumes, static keys, a credential process, or a
// single sign-on.
import { tryParseJson } from "../../../contract/json-object.ts"
import { ModelUnavailable } from "../../model-source.ts"
import type { AwsSource } from "../../providers/provider.ts"
import type { Reading } from "../cached.ts"
import { commandOutput } from "../command-output.ts"
import { awsKeys, keysIn, keysInEnvironment, type AwsKeys, type AwsRequest } from "./aws-keys.ts"
import { containerKeys, instanceKeys } from "./machine-keys.ts"
import { sectionsOf, type ProfileSections, type Section } from "./profile-files.ts"
import { assumedKeys, webIdentityKeys } from "./role-keys.ts"
import { signOnKeys } from "./sign-on.ts"

export async function profileRegion(name: string, source: AwsSource): Promise<string | undefined> {
  return (await sectionsOf(name, source)).profile["region"]
}

/** `seen`: the profiles that lead here. */
export async function profileKeys(
  name: string,
  request: AwsRequest,
  seen: readonly string[] = [],
): Promise<Reading<AwsKeys>> {
  if (seen.includes(name))
    throw new ModelUnavailable(
      `AWS profile ${seen[0]}: source_profile leads in a circle (${[...seen, name].join(", ")}).`,
    )
  const sections = await sectionsOf(name, request.source)
  const { role_arn: roleArn } = sections.profile
  const reading =
    roleArn === undefined
      ? await ownKeys(name, sections, request)
      : await roleKeys(name, { sections, roleArn }, request, [...seen, name])
  request.onSecret(`AWS profile ${name}`, reading.value.secretAccessKey)
  return reading
}

async function ownKeys(
  name: string,
  { profile, sso }: ProfileSections,
  request: AwsRequest,
): Promise<Reading<AwsKeys>> {
  const what = `AWS profile ${name}`
  const { aws_access_key_id: id, aws_secret_access_key: secret, credential_process: process } = profile
  if (id !== undefined && secret !== undefined) return { value: awsKeys(id, secret, profile["aws_session_token"]) }
  if (process !== undefined) {
    const printed = keysIn(tryParseJson(await commandOutput(["/bin/sh", "-c", process], what)))
    if (printed !== undefined) return printed
    throw new ModelUnavailable(`${what}: credential_process did not print AccessKeyId and SecretAccessKey as JSON.`)
  }
  if (sso !== undefined) return signOnKeys(name, { ...sso, ...profile }, request)
  const { credentialsFile, configFile } = request.source
  throw new ModelUnavailable(`${what} has no keys in ${credentialsFile} or ${configFile}.`)
}

async function roleKeys(
  name: string,
  { sections, roleArn }: { readonly sections: ProfileSections; readonly roleArn: string },
  request: AwsRequest,
  seen: readonly string[],
): Promise<Reading<AwsKeys>> {
  const { profile } = sections
  const what = `AWS profile ${name}`
  const sessionName = profile["role_session_name"]
  const tokenFile = profile["web_identity_token_file"]
  if (tokenFile !== undefined) return webIdentityKeys({ roleArn, tokenFile, sessionName }, request)
  if (profile["mfa_serial"] !== undefined)
    throw new ModelUnavailable(
      `${what} asks for a code of a second factor (mfa_serial), which no model call can give. Use a profile with credential_process or single sign-on.`,
    )
  const caller = await callerKeys(name, sections, request, seen)
  const role = { what, roleArn, sessionName, externalId: profile["external_id"], seconds: profile["duration_seconds"] }
  return assumedKeys({ ...role, region: profile["region"] }, caller.value, request)
}

/** The keys with which the role is assumed. A profile may be its own source: then it has keys as well. */
async function callerKeys(
  name: string,
  sections: ProfileSections,
  request: AwsRequest,
  seen: readonly string[],
): Promise<Reading<AwsKeys>> {
  const { source_profile: source, credential_source: machine } = sections.profile
  if (source === name) return ownKeys(name, sections, request)
  if (source !== undefined) return profileKeys(source, request, seen)
  return machineKeys(name, machine, request)
}

async function machineKeys(name: string, machine: Section[string] | undefined, request: AwsRequest) {
  if (machine === "EcsContainer") return containerKeys(request)
  if (machine === "Ec2InstanceMetadata") return instanceKeys(request)
  const keys = machine === "Environment" ? keysInEnvironment(request.source) : undefined
  if (keys !== undefined) return keys
  throw new ModelUnavailable(
    machine === "Environment"
      ? `AWS profile ${name}: credential_source is Environment, and AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set.`
      : `AWS profile ${name} assumes a role (role_arn) and has no source_profile. Add it, or credential_source = Environment, EcsContainer or Ec2InstanceMetadata.`,
  )
}
