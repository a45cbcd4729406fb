// Connects to the sessions of another machine, and finds one of them.
import type { HostPort } from "../../contract/host-port.ts"
import type { SessionId } from "../../contract/ids.ts"
import { findAmong } from "../../host/directory.ts"
import { RemotePort, type RemotePortOptions } from "../../clients/house/remote-port.ts"
import { accepted, AppFault, messageOf } from "../app-fault.ts"
import type { RemoteAddress } from "./remote-address.ts"
import { connectServer } from "./server-client.ts"
import { connectSsh, SshNeedsAnswer, type Attempt } from "./ssh-client.ts"

const ADVICE = "ssh cannot ask while this screen is open: leave, and attach again."

export function connectRemote(
  address: RemoteAddress,
  door: string,
  events: Pick<RemotePortOptions, "onChange" | "onProblem">,
): Promise<RemotePort> {
  const name = nameOf(address)
  if (address.kind === "server")
    return RemotePort.connect({ name, connect: () => connectServer(address, door), refusalOf, ...events })
  const connect = async (attempt: Attempt) => {
    try {
      return await connectSsh(address, door, attempt)
    } catch (fault) {
      if (attempt === "first" || !(fault instanceof SshNeedsAnswer)) throw fault
      throw new Error(`${messageOf(fault)} ${ADVICE}`, { cause: fault })
    }
  }
  return RemotePort.connect({ name, connect, refusalOf, ...events })
}

function refusalOf(fault: unknown) {
  return fault instanceof AppFault ? fault.refusal : undefined
}

export function nameOf(address: RemoteAddress): string {
  return address.kind === "ssh" ? address.target : address.url.host
}

/** By its id, a part of it, its name or alias. A refusal is thrown. */
export async function remoteSession(port: HostPort, idOrName: string): Promise<SessionId> {
  const { value } = accepted(await port.query({ type: "sessions" }))
  return accepted(findAmong(value, idOrName, ({ status }) => status)).value.sessionId
}
