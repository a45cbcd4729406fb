// Creates a Provider from configuration and environment. Provider packages would read the process environment
// themselves, so everything they look for is passed explicitly.
import { builtinProviders, vendors, type LocalServer } from "./builtin.ts"
import { awsSource } from "../credentials/aws/aws-source.ts"
import { googleSource } from "../credentials/google-source.ts"
import { azureAddress, cloudProblem, vertexAddress, type CloudAddress } from "./cloud-settings.ts"
import { variable, variableName } from "./environment.ts"
import { hostedAt, hostedNamed, hostedProviders, type HostedProvider } from "./hosted.ts"
import type { Credentials, Environment, Provider, ProviderSettings, ProviderType } from "./provider.ts"
import { keyOf, type Logins } from "../logins/login-store.ts"
import { withoutTrailing } from "../../contract/text/text.ts"

export interface ProviderSources {
  readonly configured: Readonly<Record<string, ProviderSettings>>
  readonly env: Environment
  readonly localServers: readonly LocalServer[]
  /** What `turnhouse login` stored. */
  readonly logins?: Logins | undefined
}

/** Undefined for a name that is neither configured nor built in. */
export function findProvider(name: string, sources: ProviderSources): Provider | undefined {
  const settings = settingsOf(name, sources)
  if (settings === undefined) return undefined
  const { type, headers } = settings
  const { hosted, ...address } = addressOf(name, settings, sources)
  const region = settings.region ?? variable(sources.env, "AWS_REGION") ?? variable(sources.env, "AWS_DEFAULT_REGION")
  const variables = keyVariables(name, type, address.vendorAddress, hosted)
  const found = credentialsOf(name, settings, variables, sources.env)
  const inCloud = found.kind === "none" ? cloudCredentials(name, type, address, sources.env) : found
  const stored = isAmbient(inCloud) ? storedLogin(name, sources.logins) : inCloud
  const credentials = stored.kind === "none" ? inCloud : stored
  const known = { name, type, ...address, hosted, headers, region, credentials }
  return { ...known, problem: problemOf(known, variables) }
}

export function providerNames(sources: ProviderSources): string[] {
  const names = [builtinProviders, hostedProviders, sources.configured].flatMap((from) => Object.keys(from))
  return [...new Set([...names, ...sources.localServers.map((server) => server.name)])]
}

/** Every variable that may hold a key, which tools must not see. */
export function keyVariablesOf(configured: ProviderSources["configured"]): string[] {
  const aws = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"]
  const own = Object.keys(configured).map((name) => variableName(name, "API_KEY"))
  const vendorKeys = [...Object.values(vendors), ...Object.values(hostedProviders)].flatMap((vendor) => vendor.keys)
  return [...new Set([...vendorKeys, ...aws, ...own])]
}

function settingsOf(name: string, sources: ProviderSources): ProviderSettings | undefined {
  if (Object.hasOwn(sources.configured, name)) return sources.configured[name]
  if (Object.hasOwn(builtinProviders, name)) return builtinProviders[name]
  return serverNamed(name, sources) === undefined ? undefined : { type: "openai-compatible" }
}

function serverNamed(name: string, { localServers }: ProviderSources): { readonly baseURL: string } | undefined {
  return hostedNamed(name) ?? localServers.find((server) => server.name === name)
}

interface Address extends CloudAddress {
  readonly hosted?: HostedProvider | undefined
}

function addressOf(name: string, settings: ProviderSettings, sources: ProviderSources): Address {
  const { type } = settings
  if (type === "azure") return azureAddress(name, settings, sources.env)
  if (type === "vertex") return vertexAddress(name, settings, sources.env)
  const baseURL = serverAddress(name, settings, sources)
  const hosted = type === "openai-compatible" ? hostedAt(baseURL) : undefined
  return { baseURL, vendorAddress: hosted !== undefined || baseURL === vendors[type].baseURL, hosted }
}

function serverAddress(name: string, settings: ProviderSettings, sources: ProviderSources): string | undefined {
  if (settings.baseURL !== undefined) return withoutSlash(settings.baseURL)
  const fromEnvironment = variable(sources.env, variableName(name, "BASE_URL"))
  if (fromEnvironment !== undefined) return withVersion(withoutSlash(fromEnvironment), settings.type)
  return settings.type === "openai-compatible" ? serverNamed(name, sources)?.baseURL : vendors[settings.type].baseURL
}

/** Other programs expect ANTHROPIC_BASE_URL and OPENAI_BASE_URL without the version, so both forms work. */
function withVersion(address: string, type: ProviderType): string {
  if (type === "google" || type === "amazon-bedrock" || !URL.canParse(address)) return address
  return new URL(address).pathname === "/" ? `${address}/v1` : address
}

function credentialsOf(
  name: string,
  settings: ProviderSettings,
  variables: readonly string[],
  env: Environment,
): Credentials {
  if (settings.apiKey !== undefined) {
    const source = `providers.${name}.apiKey in the configuration`
    if (typeof settings.apiKey === "string") return { kind: "key", value: settings.apiKey, source }
    return { kind: "late", from: settings.apiKey, source }
  }
  if (settings.profile !== undefined && settings.type === "amazon-bedrock") {
    const configured = { profile: settings.profile, key: `providers.${name}.profile` }
    return awsSource(env, configured) ?? { kind: "none" }
  }
  for (const source of variables) {
    const value = variable(env, source)
    if (value !== undefined) return { kind: "key", value, source }
  }
  return { kind: "none" }
}

/** Google's credentials are those of a user: they are sent to Google, or to the configured address of `vertex`. */
function cloudCredentials(name: string, type: ProviderType, address: Address, env: Environment): Credentials {
  if (type === "amazon-bedrock") return awsKeys(env)
  const isAllowed = type === "vertex" && (address.vendorAddress || name === type)
  return (isAllowed ? googleSource(env) : undefined) ?? { kind: "none" }
}

/** What the machine has for all programs: what the user stored for this one comes before it. */
function isAmbient(credentials: Credentials): boolean {
  return credentials.kind === "none" || ("isAmbient" in credentials && credentials.isAmbient)
}

/** Configuration and environment come first: they are closer to the command that runs. */
function storedLogin(name: string, logins: Logins = {}): Credentials {
  const login = Object.hasOwn(logins, name) ? logins[name] : undefined
  if (login === undefined) return { kind: "none" }
  return { kind: "key", value: keyOf(login), source: `what 'turnhouse login ${name}' stored` }
}

/** A vendor's key is sent to the vendor or to its configured base URL, never to another provider. */
function keyVariables(
  name: string,
  type: ProviderType,
  vendorAddress: boolean,
  hosted: HostedProvider | undefined,
): string[] {
  const own = variableName(name, "API_KEY")
  // A key of Azure belongs to one resource, which others cannot know.
  const vendor = (vendorAddress && type !== "azure") || name === type ? vendors[type].keys : []
  return [...new Set([...(hosted?.keys ?? []), ...(hostedNamed(name)?.keys ?? []), ...vendor, own])]
}

function awsKeys(env: Environment): Credentials {
  const accessKeyId = variable(env, "AWS_ACCESS_KEY_ID")
  const secretAccessKey = variable(env, "AWS_SECRET_ACCESS_KEY")
  if (accessKeyId === undefined || secretAccessKey === undefined) return awsSource(env) ?? { kind: "none" }
  const sessionToken = variable(env, "AWS_SESSION_TOKEN")
  return { kind: "aws", accessKeyId, secretAccessKey, sessionToken, source: "AWS_ACCESS_KEY_ID" }
}

function problemOf(provider: Omit<Provider, "problem">, variables: readonly string[]): string | undefined {
  const { name, type, baseURL, hosted, credentials, region } = provider
  if (type === "openai-compatible") {
    if (baseURL !== undefined && hosted !== undefined && credentials.kind === "none")
      return `Provider ${name} has no key: set ${variables[0]}, run 'turnhouse login ${name}', or set providers.${name}.apiKey in the configuration.`
    if (baseURL !== undefined) return undefined
    return `Provider ${name} has no address: set providers.${name}.baseURL in the configuration, or ${variableName(name, "BASE_URL")}.`
  }
  const lacking = cloudProblem(provider)
  if (lacking !== undefined) return lacking
  if (credentials.kind === "none") {
    return `Provider ${name} has no key: set ${variables[0]}${otherCredentials[type] ?? ""}, run 'turnhouse login ${name}', or set providers.${name}.apiKey in the configuration.`
  }
  const mayHaveRegion = credentials.kind === "aws-source" && credentials.from.kind === "profile"
  if (type !== "amazon-bedrock" || region !== undefined || mayHaveRegion) return undefined
  return `Provider ${name} has no region: set AWS_REGION, or providers.${name}.region in the configuration.`
}

const otherCredentials: Partial<Record<ProviderType, string>> = {
  "amazon-bedrock": ", or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE",
}

function withoutSlash(address: string): string {
  return withoutTrailing(address, "/")
}
