// A second listener of the server, for phones in the local network: the console and the native API over TLS, with a
// certificate of its own. It is opened for a time by the owner. Visitors, metrics and the admin API are not there.
import { X509Certificate } from "node:crypto"
import { join } from "node:path"
import type { Duplex } from "node:stream"
import { isObject, tryParseJson } from "../../contract/json-object.ts"
import { keyFile } from "../../secrets/key-file.ts"
import type { Certificate } from "../certificate.ts"
import type { HttpServer } from "../http/http-server.ts"
import { isLoopbackAddress } from "../http/loopback.ts"
import { bearerToken, type HttpRequest, type Reply } from "../http/request.ts"
import { isPrivateAddress } from "./private-address.ts"
import { selfSignedCertificate } from "./self-signed.ts"

export interface LanAccessOptions {
  readonly home: string
  readonly isOwner: (key: string) => Promise<boolean>
  /** Throws what `listen` throws. */
  readonly listen: (place: LanPlace) => Promise<HttpServer>
  readonly now: () => number
}

export interface LanPlace {
  readonly host: string
  readonly port: number
  readonly tls: Certificate
  /** A connection that becomes a WebSocket: the server does not know it any longer. */
  readonly onUpgrade: (socket: Duplex) => void
}

/** The first choice: a page that a phone has installed keeps its address. */
const USUAL_PORT = 8788
const MAX_SECONDS = 7 * 86_400

interface Listener {
  readonly http: HttpServer
  readonly fingerprint: string
  readonly sockets: ReadonlySet<Duplex>
  expiry?: NodeJS.Timeout
}

export class LanAccess {
  readonly #options: LanAccessOptions
  readonly #listeners = new Map<string, Listener>()

  constructor(options: LanAccessOptions) {
    this.#options = options
  }

  /** `{address, seconds}` → `{url, fingerprint, expiresAt}`. Opening an address again changes how long it is open. */
  async open(request: HttpRequest, body: string): Promise<Reply> {
    const key = bearerToken(request)
    if (key === undefined || !(await this.#options.isOwner(key))) return refused(401, "Only the owner's key opens it.")
    const fields = tryParseJson(body)
    const { address, seconds } = isObject(fields) ? fields : {}
    if (typeof address !== "string") return refused(400, "address: use a string.")
    if (!isPrivateAddress(address) && !isLoopbackAddress(address))
      return refused(400, `${address}: not an address of a private network, such as 192.168.1.20.`)
    if (typeof seconds !== "number" || !(seconds > 0 && seconds <= MAX_SECONDS))
      return refused(400, `seconds: use a number up to ${MAX_SECONDS}.`)
    try {
      return await this.#opened(address, seconds)
    } catch (fault) {
      return refused(409, `${address}: cannot listen there (${fault instanceof Error ? fault.message : "unknown"}).`)
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#listeners.keys()].map((address) => this.#close(address)))
  }

  async #opened(address: string, seconds: number): Promise<Reply> {
    const listener = this.#listeners.get(address) ?? (await this.#listen(address))
    clearTimeout(listener.expiry)
    listener.expiry = setTimeout(() => void this.#close(address), seconds * 1000).unref()
    this.#listeners.set(address, listener)
    const { http, fingerprint } = listener
    const expiresAt = this.#options.now() + seconds * 1000
    const answer = { url: `https://${address}:${http.port}`, fingerprint, expiresAt }
    return { status: 200, text: JSON.stringify(answer), type: "application/json" }
  }

  async #listen(host: string): Promise<Listener> {
    const { home, listen, now } = this.#options
    const file = join(home, `lan-${host}-${new Date(now()).getFullYear()}.pem`) // it is valid for two years
    const pem = Buffer.from(keyFile(file, () => Buffer.from(selfSignedCertificate(host, now()))))
    const sockets = new Set<Duplex>()
    const onUpgrade = (socket: Duplex) => {
      sockets.add(socket)
      socket.once("close", () => sockets.delete(socket))
    }
    const place = { host, tls: { cert: pem, key: pem }, onUpgrade }
    const http = await listen({ ...place, port: USUAL_PORT }).catch(() => listen({ ...place, port: 0 }))
    const { fingerprint256: fingerprint } = new X509Certificate(pem)
    return { http, fingerprint, sockets }
  }

  async #close(address: string): Promise<void> {
    const listener = this.#listeners.get(address)
    this.#listeners.delete(address)
    clearTimeout(listener?.expiry)
    for (const socket of listener?.sockets ?? []) socket.destroy()
    await listener?.http.close()
  }
}

function refused(status: number, what: string): Reply {
  return { status, text: JSON.stringify({ what }), type: "application/json" }
}
