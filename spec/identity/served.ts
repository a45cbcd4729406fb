// A server process with its own configuration, for all tests of a file, and tokens that are made here, independently of
// the program under test.
import { createSign, generateKeyPairSync, type KeyObject } from "node:crypto"
import { readFileSync } from "node:fs"
import { request as httpRequest } from "node:http"
import { join } from "node:path"
import { beforeAll } from "vitest"
import { claimsOf, encoded, hmacToken as signedToken, type ClaimsOf } from "../../src/app/prove/served/token.ts"
import type { Step } from "../../src/models/offline/index.ts"
import { WsClient } from "../../src/testing/doors/served-ws.ts"
import type { Json } from "../e2e/printed.ts"
import type { Running } from "../e2e/running.ts"
import { sharedPlace, type Place } from "../e2e/turnhouse.ts"

export const secret = "a secret of thirty-two characters or more"

export interface Served {
  readonly place: Place
  readonly running: Running
  readonly url: string
  /** The owner's key. */
  readonly key: string
  connect(token?: string, headers?: Readonly<Record<string, string>>): Promise<WsClient>
  /** The status and the text of an answer; every header can be set, Host too. */
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<readonly [status: number, text: string]>
}

/** Started before the tests of a file or a describe and ended after them. */
export function served(config: Json, steps?: readonly Step[]): () => Served {
  const place = sharedPlace()
  let made: Served | undefined
  beforeAll(async () => {
    made = await serve(place, config, steps)
  })
  return () => {
    if (made === undefined) throw new Error("the server has not started")
    return made
  }
}

const greetings: readonly Step[] = [[{ text: "Hello." }], [{ text: "Again." }], [{ text: "And again." }]]

export async function serve(place: Place, config: Json, steps = greetings): Promise<Served> {
  place.config({ model: place.script(steps), ...config })
  return started(place, "--port", "0")
}

export async function started(place: Place, ...args: readonly string[]): Promise<Served> {
  const running = place.start(["serve", ...args])
  const url = await running.until("an address", () => /^listening on (\S+)$/m.exec(running.stdout)?.[1])
  const key = readFileSync(join(place.home, "console.key"), "utf8").trim()
  const connect = (token?: string, headers = {}) =>
    WsClient.open(`${url.replace("http", "ws")}/ws${token === undefined ? "" : `?token=${token}`}`, headers)
  return { place, running, url, key, connect, get: (path, headers) => get(url + path, headers) }
}

function get(url: string, headers: Readonly<Record<string, string>> = {}) {
  return new Promise<readonly [number, string]>((resolve, reject) => {
    const asked = httpRequest(url, { headers }, (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (piece: string) => (text += piece))
      response.on("end", () => resolve([response.statusCode ?? 0, text.trim()]))
    })
    asked.on("error", reject).end()
  })
}

export { claimsOf, encoded, type ClaimsOf }

export function hmacToken(claims: ClaimsOf, key = secret, header?: object): string {
  return signedToken(claims, key, header)
}

export function rsaToken(claims: ClaimsOf, key: KeyObject, header: object = { alg: "RS256" }): string {
  const words = `${encoded(header)}.${encoded(claimsOf(claims))}`
  return `${words}.${createSign("RSA-SHA256").update(words).sign(key, "base64url")}`
}

export function unsignedToken(claims: ClaimsOf): string {
  return `${encoded({ alg: "none" })}.${encoded(claimsOf(claims))}.`
}

export function rsaKeys() {
  return generateKeyPairSync("rsa", { modulusLength: 2048 })
}
