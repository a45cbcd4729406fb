// The client that Turnhouse is for an authorization server: as configured for the MCP server, or as registered with a login.

export interface OAuthSettings {
  /** Absent: the authorization server registers one with each login. */
  readonly clientId?: string
  readonly clientSecret?: string
  readonly scopes?: readonly string[]
}

export interface OAuthClient {
  readonly id: string
  readonly secret?: string
  /** How it authenticates itself. */
  readonly method: "none" | "basic" | "post"
}

/** The client of a stored login. */
export interface StoredClient {
  readonly clientId: string
  /** Of a client that the login registered; a configured secret stays in the configuration. */
  readonly clientSecret?: string
  readonly clientMethod: OAuthClient["method"]
}

export function storedClientParameters(stored: StoredClient, oauth: OAuthSettings | undefined) {
  const secret = stored.clientSecret ?? oauth?.clientSecret
  return clientParameters({
    id: stored.clientId,
    method: stored.clientMethod,
    ...(secret === undefined ? {} : { secret }),
  })
}

/** What each of its requests to a token endpoint contains. */
export function clientParameters({ id, secret, method }: OAuthClient) {
  const fields = { client_id: id }
  if (secret === undefined || method === "none") return { fields, headers: {} }
  if (method === "post") return { fields: { ...fields, client_secret: secret }, headers: {} }
  const credentials = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`
  return { fields, headers: { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` } }
}
