// An OAuth 2.0 server as vendors have them, with an API that takes its tokens: device authorization, authorization code
// with PKCE, refresh tokens that work once, and OpenRouter's exchange of a code for a key.
import { createHash, randomUUID } from "node:crypto"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"

export interface OAuthServer {
  readonly url: string
  /** Token requests by grant type, in order. */
  readonly grants: string[]
  /** Fields of the newest request for a device code. */
  readonly device: Record<string, string>
  /** How many polls are answered with each error before the token comes. */
  pending: string[]
  readonly validTokens: Set<string>
  /** Seconds that new tokens are valid for. */
  lifetime: number
  close(): Promise<void>
}

export async function startOAuthServer(): Promise<OAuthServer> {
  const challenges = new Map<string, string>()
  let refresh = ""
  const state: Omit<OAuthServer, "url" | "close"> = {
    grants: [],
    device: {},
    pending: [],
    validTokens: new Set(),
    lifetime: 3600,
  }

  const giveTokens = (response: ServerResponse) => {
    const access = `access-${randomUUID()}`
    state.validTokens.clear()
    state.validTokens.add(access)
    refresh = `refresh-${randomUUID()}`
    answer(response, 200, {
      access_token: access,
      refresh_token: refresh,
      expires_in: state.lifetime,
      token_type: "Bearer",
    })
  }

  const routes: Record<string, (fields: URLSearchParams, response: ServerResponse, request: IncomingMessage) => void> =
    {
      "/device": (fields, response) => {
        Object.assign(state.device, Object.fromEntries(fields))
        const known = fields.get("client_id") === "client-1"
        answer(
          response,
          known ? 200 : 400,
          known
            ? {
                device_code: "device-1",
                user_code: "ABCD-1234",
                verification_uri: "https://example.com/device",
                interval: 1,
              }
            : { error: "invalid_client" },
        )
      },
      "/authorize": (fields, response) => {
        const code = randomUUID()
        challenges.set(code, fields.get("code_challenge") ?? "")
        const back = new URL(fields.get("redirect_uri") ?? fields.get("callback_url") ?? "")
        back.searchParams.set("code", code)
        if (fields.has("state")) back.searchParams.set("state", fields.get("state") ?? "")
        response.writeHead(302, { location: back.href }).end()
      },
      "/token": (fields, response) => {
        const grant = fields.get("grant_type") ?? ""
        state.grants.push(grant)
        if (grant === "refresh_token") {
          const isValid = fields.get("refresh_token") === refresh
          return isValid ? giveTokens(response) : answer(response, 400, { error: "invalid_grant" })
        }
        if (grant === "authorization_code") {
          const isValid = proves(challenges, fields.get("code"), fields.get("code_verifier"))
          return isValid ? giveTokens(response) : answer(response, 400, { error: "invalid_grant" })
        }
        const error = state.pending.shift()
        return error === undefined ? giveTokens(response) : answer(response, 400, { error })
      },
      "/keys": (fields, response) => {
        const isValid = proves(challenges, fields.get("code"), fields.get("code_verifier"))
        return answer(response, isValid ? 200 : 403, isValid ? { key: "sk-or-key-from-the-browser" } : { error: "bad" })
      },
      "/v1/models": (_fields, response, request) => {
        const isValid = state.validTokens.has((request.headers.authorization ?? "").replace("Bearer ", ""))
        answer(response, isValid ? 200 : 401, isValid ? { data: [{ id: "model-a" }] } : { error: { message: "no" } })
      },
    }

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? "/", "http://x")
    let body = ""
    for await (const chunk of request) body += String(chunk)
    const isJson = request.headers["content-type"] === "application/json"
    const fields = request.method === "GET" ? url.searchParams : new URLSearchParams(isJson ? JSON.parse(body) : body)
    const route = routes[url.pathname]
    if (route === undefined) answer(response, 404, {})
    else route(fields, response, request)
  }
  const server = createServer((request, response) => void serve(request, response))
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`
  const close = async () => {
    server.close()
    server.closeAllConnections()
    await once(server, "close")
  }
  return Object.assign(state, { url, close })
}

function proves(challenges: Map<string, string>, code: string | null, verifier: string | null): boolean {
  const challenge = challenges.get(code ?? "")
  challenges.delete(code ?? "")
  return (
    challenge !== undefined &&
    challenge ===
      createHash("sha256")
        .update(verifier ?? "")
        .digest("base64url")
  )
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
}
