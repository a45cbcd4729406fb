// Finds the authorization server of an MCP server (RFC 9728, RFC 8414) and registers Turnhouse as a client there (RFC 7591).
// What these servers say is checked before it is used, and never shown: it may contain anything.
import type { AuthorizationServerMetadata } from "@modelcontextprotocol/client"
import { LoginFault } from "../../models/logins/login-store.ts"
import type { GuardedFetch } from "./guarded-fetch.ts"
import { optional } from "./login-file.ts"
import type { OAuthClient } from "./oauth-client.ts"
import { secureAddress } from "./secure-address.ts"
import type { LoginRequest } from "./stored-login.ts"

export interface AuthorizationServer {
  readonly metadata: AuthorizationServerMetadata
  readonly tokenUrl: string
  readonly deviceUrl?: string
  readonly revocationUrl?: string
  /** What the token is for, as the MCP server names itself. */
  readonly resource?: string
  readonly scope?: string
}

/** Throws LoginFault. */
export async function findAuthorizationServer(
  { url, oauth }: LoginRequest,
  guard: GuardedFetch,
): Promise<AuthorizationServer> {
  const sdk = await import("@modelcontextprotocol/client")
  const { host } = secureAddress(url, "the address of the MCP server")
  const challenge = sdk.extractWWWAuthenticateParams(await answered(host, guard, () => refusedRequest(url, guard)))
  const resourceMetadataUrl = ownAddress(challenge.resourceMetadataUrl, url)
  const options = { fetchFn: guard.fetch, ...optional("resourceMetadataUrl", resourceMetadataUrl) }
  const info = await answered(host, guard, () => sdk.discoverOAuthServerInfo(url, options))
  const { authorizationServerMetadata: metadata, resourceMetadata } = info
  if (metadata === undefined)
    throw new LoginFault(`${host} offers no login that can be used. If it takes a key, set "headers" of the server.`)
  const resource = resourceMetadata?.resource
  const requestedResource = sdk.resourceUrlFromServerUrl(url)
  if (resource !== undefined && !sdk.checkResourceAllowed({ requestedResource, configuredResource: resource }))
    throw new LoginFault(`${host} names another server as the one to log in for. The login was stopped.`)
  const scopes = oauth?.scopes?.join(" ") ?? challenge.scope ?? resourceMetadata?.scopes_supported?.join(" ")
  return {
    metadata,
    tokenUrl: metadata.token_endpoint,
    ...optional("deviceUrl", addressIn(metadata, "device_authorization_endpoint")),
    ...optional("revocationUrl", addressIn(metadata, "revocation_endpoint")),
    ...optional("resource", resource),
    ...optional("scope", withRefresh(scopes, metadata)),
  }
}

/** The server answers it with what a login needs. */
function refusedRequest(url: string, { fetch }: GuardedFetch): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
  })
}

/** A server describes itself at its own origin only. */
function ownAddress(address: URL | undefined, url: string): URL | undefined {
  return address?.origin === new URL(url).origin ? address : undefined
}

/** What a request to the server or its authorization server gives, or a fault that says nothing of their texts. */
async function answered<Value>(host: string, guard: GuardedFetch, ask: () => Promise<Value>): Promise<Value> {
  try {
    const value = await ask()
    const refusal = guard.refusal()
    if (refusal === undefined) return value
    throw refusal
  } catch (fault) {
    throw guard.refusal() ?? (await asLoginFault(host, fault))
  }
}

async function asLoginFault(host: string, fault: unknown): Promise<LoginFault> {
  const sdk = await import("@modelcontextprotocol/client")
  if (fault instanceof LoginFault) return fault
  return fault instanceof sdk.IssuerMismatchError
    ? new LoginFault(`the authorization server of ${host} calls itself by another name. The login was stopped.`)
    : new LoginFault(`${host} gave no answer about its login that can be used. Try again later.`, { cause: fault })
}

function addressIn(metadata: AuthorizationServerMetadata, name: string): string | undefined {
  const value: unknown = Reflect.get(metadata, name)
  return typeof value === "string" && URL.canParse(value) ? value : undefined
}

/** Some servers give a refresh token only for this scope. */
function withRefresh(scope: string | undefined, { scopes_supported: known }: AuthorizationServerMetadata) {
  const isWanted = known?.includes("offline_access") === true && scope?.split(" ").includes("offline_access") !== true
  return isWanted && scope !== undefined ? `${scope} offline_access` : scope
}

export interface ClientRequest {
  /** Absent for a device. */
  readonly redirectUri?: string
  readonly grantType: string
}

/** The configured client, or a new one. Throws LoginFault. */
export async function clientAt(
  { metadata, scope }: AuthorizationServer,
  { serverName, oauth }: LoginRequest,
  { redirectUri, grantType }: ClientRequest,
  { fetch }: GuardedFetch,
): Promise<OAuthClient> {
  const sdk = await import("@modelcontextprotocol/client")
  const methods = metadata.token_endpoint_auth_methods_supported ?? []
  const own = { client_id: oauth?.clientId ?? "", ...optional("client_secret", oauth?.clientSecret) }
  if (oauth?.clientId !== undefined) return asClient(own, sdk.selectClientAuthMethod(own, methods))
  const advice = `Register Turnhouse there and set mcpServers.${serverName}.oauth.clientId.`
  if (metadata.registration_endpoint === undefined)
    throw new LoginFault(`the authorization server does not register clients. ${advice}`)
  const clientMetadata = {
    client_name: "Turnhouse",
    redirect_uris: redirectUri === undefined ? [] : [redirectUri],
    grant_types: [grantType, "refresh_token"],
    response_types: redirectUri === undefined ? [] : ["code"],
    token_endpoint_auth_method: "none",
    application_type: "native",
  }
  try {
    const options = { metadata, clientMetadata, fetchFn: fetch, ...optional("scope", scope) }
    const registered = await sdk.registerClient(metadata.issuer, options)
    return asClient(registered, sdk.selectClientAuthMethod(registered, methods))
  } catch (fault) {
    if (fault instanceof LoginFault) throw fault
    throw new LoginFault(`the authorization server did not register Turnhouse as a client. ${advice}`, { cause: fault })
  }
}

const methodNames = { none: "none", client_secret_basic: "basic", client_secret_post: "post" } as const

function asClient(
  { client_id: id, client_secret: secret }: { readonly client_id: string; readonly client_secret?: string | undefined },
  method: keyof typeof methodNames,
): OAuthClient {
  return { id, method: methodNames[method], ...optional("secret", secret) }
}
