// Opens the running server to phones in the local network, for a time.
import { networkInterfaces } from "node:os"
import { isObject, tryParseJson } from "../../contract/json-object.ts"
import { privateAddresses } from "../../server/lan/private-address.ts"
import { AppFault, exitCodes, messageOf } from "../app-fault.ts"
import { consoleKey } from "../secrets/home-secrets.ts"
import { serverUrl } from "./server-note.ts"

export interface LanAddress {
  readonly url: string
  /** SHA-256 of the certificate, as browsers show it. */
  readonly fingerprint: string
  readonly expiresAt: number
}

const REQUEST_MS = 10_000
const tunnels = 'A tunnel works too: see docs/identity.md, "A phone".'

/** `host`: which address of this machine; by default the first of a private network. */
export async function openLan(home: string, host: string | undefined, seconds: number): Promise<LanAddress> {
  const server = serverUrl(home)
  if (server === undefined)
    throw new AppFault(
      "no server of this home runs. Start 'turnhouse serve', then repeat this command.",
      exitCodes.unreachable,
    )
  const [address = host] = host === undefined ? privateAddresses(networkInterfaces()) : [host]
  if (address === undefined)
    throw new AppFault(
      `this machine has no address in a private network. Connect it to one, or name it with --host. ${tunnels}`,
    )
  const { status, text } = await request(server, consoleKey(home), { address, seconds })
  const answer = tryParseJson(text)
  if (status === 200 && isLanAddress(answer)) return answer
  const what = isObject(answer) && typeof answer["what"] === "string" ? answer["what"] : `the server answered ${status}`
  throw new AppFault(`--lan: ${what}`)
}

async function request(server: string, key: string, fields: object): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(`${server}/lan`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify(fields),
      signal: AbortSignal.timeout(REQUEST_MS),
    })
    return { status: response.status, text: await response.text() }
  } catch (fault) {
    throw new AppFault(
      `${server} does not answer (${messageOf(fault)}). Restart 'turnhouse serve'.`,
      exitCodes.unreachable,
    )
  }
}

function isLanAddress(value: unknown): value is LanAddress {
  if (!isObject(value)) return false
  const { url, fingerprint, expiresAt } = value
  return typeof url === "string" && typeof fingerprint === "string" && typeof expiresAt === "number"
}
