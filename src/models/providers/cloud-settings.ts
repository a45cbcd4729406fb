// Where Azure and Vertex answer, from configuration and environment.
import { withoutTrailing } from "../../contract/text/text.ts"
import { isAzureAddress, resourceAddress, withAzurePath } from "./azure.ts"
import { variable, variableName } from "./environment.ts"
import type { Environment, Provider, ProviderSettings } from "./provider.ts"
import { vertexHost } from "./vertex-host.ts"

export interface CloudAddress {
  readonly baseURL: string | undefined
  readonly vendorAddress: boolean
  readonly apiVersion?: string | undefined
  readonly place?: Provider["place"]
}

export function azureAddress(name: string, settings: ProviderSettings, env: Environment): CloudAddress {
  const resource = settings.resourceName
  const own = [variableName(name, "BASE_URL"), ...(name === "azure" ? ["AZURE_OPENAI_ENDPOINT"] : [])]
  const address =
    settings.baseURL ??
    (resource === undefined ? undefined : resourceAddress(resource)) ??
    firstVariable(env, own) ??
    resourceAddress(variable(env, variableName(name, "RESOURCE_NAME")) ?? "")
  const baseURL = address === undefined ? undefined : withAzurePath(withoutTrailing(address, "/"))
  return {
    baseURL,
    vendorAddress: baseURL !== undefined && isAzureAddress(baseURL),
    apiVersion: settings.apiVersion ?? variable(env, variableName(name, "API_VERSION")),
  }
}

const projectVariables = [
  "ANTHROPIC_VERTEX_PROJECT_ID",
  "GOOGLE_VERTEX_PROJECT",
  "GOOGLE_CLOUD_PROJECT",
  "GCLOUD_PROJECT",
]
const locationVariables = ["GOOGLE_VERTEX_LOCATION", "GOOGLE_CLOUD_LOCATION", "CLOUD_ML_REGION"]

/** The newest models of both vendors are there. */
const defaultLocation = "global"

export function vertexAddress(name: string, settings: ProviderSettings, env: Environment): CloudAddress {
  const project = settings.project ?? firstVariable(env, projectVariables)
  const location = settings.location ?? firstVariable(env, locationVariables) ?? defaultLocation
  const host = vertexHost(location)
  const configured = settings.baseURL ?? variable(env, variableName(name, "BASE_URL"))
  const baseURL = configured === undefined ? host : withoutTrailing(configured, "/")
  return { baseURL, vendorAddress: host !== undefined && baseURL === host, place: { project, location } }
}

/** What a provider lacks, besides a key of Azure. */
export function cloudProblem({
  name,
  type,
  baseURL,
  place,
  credentials,
}: Omit<Provider, "problem">): string | undefined {
  if (type === "azure" && baseURL === undefined)
    return `Provider ${name} has no address: set ${variableName(name, "RESOURCE_NAME")} to the name of the resource, or providers.${name}.resourceName in the configuration.`
  if (type !== "vertex") return undefined
  if (baseURL === undefined || vertexHost(place?.location ?? "") === undefined)
    return `Provider ${name} has no location: "${place?.location}" is none. Set GOOGLE_CLOUD_LOCATION, or providers.${name}.location in the configuration.`
  if (credentials.kind !== "none") return undefined
  return `Provider ${name} has no credentials: run 'gcloud auth application-default login', or set GOOGLE_APPLICATION_CREDENTIALS, GOOGLE_VERTEX_API_KEY, or providers.${name}.apiKey in the configuration.`
}

function firstVariable(env: Environment, names: readonly string[]): string | undefined {
  return names.map((name) => variable(env, name)).find((value) => value !== undefined)
}
