// Logs a user in at an MCP server: in the browser of this machine (authorization code with PKCE) or with a code that the
// user types on any device (RFC 8628). Stores the tokens for the address of the server.
import { randomBytes } from "node:crypto"
import { withDeadline } from "../../models/logins/deadline.ts"
import { deviceLogin, type LoginSurroundings } from "../../models/logins/device-login.ts"
import { LoginFault } from "../../models/logins/login-store.ts"
import { redirectedCode, type RedirectedCode } from "../../models/logins/loopback-redirect.ts"
import { oauthRequest, tokensIn, type Tokens } from "../../models/logins/oauth-request.ts"
import { clientAt, findAuthorizationServer, type AuthorizationServer } from "./discover.ts"
import { guardedFetch, type GuardedFetch, type GuardOptions } from "./guarded-fetch.ts"
import { addressOf, changeServerLogin, optional, secretsIn, type ServerTokens } from "./login-file.ts"
import { clientParameters, type OAuthClient } from "./oauth-client.ts"
import { secureAddress } from "./secure-address.ts"
import type { LoginRequest } from "./stored-login.ts"

export interface ServerLoginRequest extends LoginRequest {
  readonly method: "browser" | "device"
}

export interface ServerLoginSurroundings extends LoginSurroundings, Pick<GuardOptions, "resolve"> {
  /** Ends a login that the user does not complete. */
  readonly timeout?: AbortSignal
}

const WAIT_MINUTES = 5

/** Throws LoginFault, and the reason of the signal. */
export async function loginToServer(request: ServerLoginRequest, surroundings: ServerLoginSurroundings): Promise<void> {
  const { signal, timeout = AbortSignal.timeout(WAIT_MINUTES * 60_000) } = surroundings
  const message = `the login was not completed within ${WAIT_MINUTES} minutes. Run the command again.`
  const login = await withDeadline(signal, { timeout, message }, (bounded) =>
    logIn(request, { ...surroundings, signal: bounded }),
  )
  for (const value of secretsIn(login)) request.onSecret?.(`mcp.${request.serverName}`, value)
  await changeServerLogin(request.home, request.url, () => login)
}

interface Granted {
  readonly client: OAuthClient
  readonly tokens: Tokens
}

async function logIn(request: ServerLoginRequest, surroundings: ServerLoginSurroundings): Promise<ServerTokens> {
  const { url, method, oauth } = request
  const guard = guardedFetch({ ...surroundings, url })
  const server = await findAuthorizationServer(request, guard)
  const log = method === "device" ? inDevice : inBrowser
  const { client, tokens } = await log(server, request, surroundings, guard)
  return {
    kind: "tokens",
    url: addressOf(url),
    issuer: server.metadata.issuer,
    tokenUrl: server.tokenUrl,
    ...optional("revocationUrl", server.revocationUrl),
    ...optional("resource", server.resource),
    clientId: client.id,
    ...optional("clientSecret", oauth?.clientId === undefined ? client.secret : undefined),
    clientMethod: client.method,
    savedAt: new Date().toISOString(),
    ...tokens,
  }
}

async function inDevice(
  server: AuthorizationServer,
  request: LoginRequest,
  surroundings: LoginSurroundings,
  guard: GuardedFetch,
): Promise<Granted> {
  const { deviceUrl, tokenUrl, scope } = server
  if (deviceUrl === undefined)
    throw new LoginFault("the authorization server has no login for devices. Run the command without --device.")
  const grantType = "urn:ietf:params:oauth:grant-type:device_code"
  const client = await clientAt(server, request, { grantType }, guard)
  const { fields, headers } = clientParameters(client)
  const flow = { kind: "device", deviceUrl, tokenUrl, clientId: client.id, ...optional("scope", scope) } as const
  const parameters = { fields: { ...fields, ...optional("resource", server.resource) }, headers }
  return { client, tokens: await deviceLogin(flow, { ...surroundings, fetch: guard.fetch }, parameters) }
}

async function inBrowser(
  server: AuthorizationServer,
  request: LoginRequest,
  { signal, show }: LoginSurroundings,
  guard: GuardedFetch,
): Promise<Granted> {
  const sdk = await import("@modelcontextprotocol/client")
  const { metadata, resource, scope } = server
  secureAddress(metadata.authorization_endpoint, "the page for the login")
  const state = randomBytes(32).toString("base64url")
  const begun = Promise.withResolvers<{ client: OAuthClient; redirectUri: string; verifier: string }>()
  const begin = async (redirectUri: string) => {
    const client = await clientAt(server, request, { redirectUri, grantType: "authorization_code" }, guard)
    const { authorizationUrl, codeVerifier: verifier } = await sdk.startAuthorization(metadata.issuer, {
      metadata,
      state,
      redirectUrl: redirectUri,
      clientInformation: { client_id: client.id },
      ...optional("scope", scope),
      ...optional("resource", resource),
    })
    begun.resolve({ client, redirectUri, verifier })
    show(authorizationUrl.href)
  }
  const answer = await redirectedCode({ host: "127.0.0.1", ports: [0], state, signal, begin })
  await checkIssuer(answer, server)
  const { client, redirectUri, verifier } = await begun.promise
  const { fields, headers } = clientParameters(client)
  const form = {
    grant_type: "authorization_code",
    code: answer.code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    ...fields,
    ...optional("resource", resource),
  }
  return { client, tokens: await exchanged(server.tokenUrl, form, { fetch: guard.fetch, signal, headers }) }
}

/** Another server may have given the code, to get it redeemed at a place of its choice (RFC 9207). */
async function checkIssuer({ issuer }: RedirectedCode, { metadata }: AuthorizationServer): Promise<void> {
  const sdk = await import("@modelcontextprotocol/client")
  try {
    sdk.validateAuthorizationResponseIssuer({
      iss: issuer,
      expectedIssuer: metadata.issuer,
      issParameterSupported: Reflect.get(metadata, "authorization_response_iss_parameter_supported") === true,
    })
  } catch (fault) {
    throw new LoginFault("the answer came from another authorization server. The login was stopped.", { cause: fault })
  }
}

async function exchanged(
  tokenUrl: string,
  form: Readonly<Record<string, string>>,
  options: Parameters<typeof oauthRequest>[2],
): Promise<Tokens> {
  const answer = await oauthRequest(tokenUrl, form, options)
  const tokens = answer.ok ? tokensIn(answer.body, Date.now()) : undefined
  if (tokens !== undefined) return tokens
  throw new LoginFault(`the login was refused (${answer.ok ? "no token" : answer.error}). Run the command again.`)
}
