// The native API of a server on the network, with a key. Says in one line why it cannot be reached.
import { HouseClient, HouseRefused } from "../../clients/house/house-client.ts"
import { AppFault, exitCodes, messageOf } from "../app-fault.ts"
import type { ServerAddress } from "./remote-address.ts"

const DIAGNOSIS_MS = 10_000

export async function connectServer({ url, key }: ServerAddress, door: string): Promise<HouseClient> {
  try {
    return await HouseClient.connect(url.href, { door, key })
  } catch (fault) {
    if (fault instanceof HouseRefused && fault.refusal.code !== "host.gone") throw refusedFault(url, fault)
    throw new AppFault(`${url.host}: ${await connectionProblem(url)}`, exitCodes.unreachable)
  }
}

function refusedFault({ host }: URL, { refusal, message }: HouseRefused): AppFault {
  if (refusal.code !== "key.bad") return new AppFault(`${host}: ${message}`, exitCodes.unreachable, refusal)
  const what =
    "the key of this address is wrong, expired or revoked. 'turnhouse link' on the server creates another one."
  return new AppFault(`${host}: ${what}`, exitCodes.usage, refusal)
}

/** A WebSocket does not say why it failed; a request to the same address does. */
async function connectionProblem(url: URL): Promise<string> {
  const address = new URL(url)
  address.protocol = url.protocol === "wss:" ? "https:" : "http:"
  try {
    const { status } = await fetch(address, { redirect: "manual", signal: AbortSignal.timeout(DIAGNOSIS_MS) })
    return `no Turnhouse server answers at ${url.pathname} (HTTP status ${status}). Check the address, or whether 'turnhouse serve' runs.`
  } catch (fault) {
    return describeFailure(fault instanceof Error ? (fault.cause ?? fault) : fault)
  }
}

const certificateCodes = /CERT|SIGNATURE|ALTNAME|SELF_SIGNED|ISSUER/

function describeFailure(fault: unknown): string {
  const code = fault instanceof Error && "code" in fault ? String(fault.code) : ""
  if (certificateCodes.test(code))
    return `its certificate is not trusted (${messageOf(fault)}). NODE_EXTRA_CA_CERTS can name the file of its authority.`
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "no machine has this name."
  if (code === "ECONNREFUSED") return "nothing listens there. Check the port, or start 'turnhouse serve'."
  return `not reachable (${code === "" ? messageOf(fault) : code}).`
}
