// Connects a viewer: shows the token that is stored beside the socket, or asks for one as a new viewer. A restarted agent
// has a new token, so after a refusal the file is read and shown once more.
import { basename, dirname } from "node:path"
import { protocolVersion as version } from "../../../protocols/ipc/handshake.ts"
import { agentFiles, isAgentId } from "../../../protocols/ipc/agent-paths.ts"
import { readSmallFile } from "../../../transports/small-file.ts"
import { IpcFault, IpcRefused } from "../faults.ts"
import type { Place } from "../options.ts"
import { connect, type Connection, type ConnectionOptions } from "./connection.ts"

export interface Target {
  readonly place: Place
  readonly handshake: "new" | "reattach" | undefined
  /** From the caller, or from an earlier handshake. */
  readonly token: string | undefined
  readonly encrypted: boolean
}

export interface Attached {
  readonly connection: Connection
  readonly token: string | undefined
}

export interface AgentAddress {
  readonly socket: string
  readonly tokenFile: string
  /** Undefined when only a path is known, which need not be named after the session. */
  readonly id: string | undefined
}

type Handlers = Pick<ConnectionOptions, "onReceived" | "signal">

const MAX_TOKEN_BYTES = 4096
const socketSuffix = ".sock"

export async function attachTo(target: Target, handlers: Handlers): Promise<Attached> {
  const address = addressOf(target.place)
  const token = target.token ?? (await readToken(address))
  if (target.handshake === "new" || (target.handshake === undefined && token === undefined))
    return enter(address, undefined, target, handlers)
  try {
    return await enter(address, token ?? "", target, handlers)
  } catch (fault) {
    if (!(fault instanceof IpcRefused) || fault.refusal !== "token-invalid") throw fault
    const newer = await readToken(address)
    if (newer === undefined || newer === token) throw fault
    return enter(address, newer, target, handlers)
  }
}

export function addressOf(place: Place): AgentAddress {
  if (typeof place !== "string") {
    if (!isAgentId(place.id)) throw new IpcFault(`'${place.id}' is not the id of an agent`)
    const { socket, token } = agentFiles(place.folder, place.id)
    return { socket, tokenFile: token, id: place.id }
  }
  const { token } = agentFiles(dirname(place), basename(place, socketSuffix))
  return { socket: place, tokenFile: token, id: undefined }
}

/** Without a token: as a new viewer. */
async function enter(
  { socket, id }: AgentAddress,
  token: string | undefined,
  { encrypted }: Target,
  handlers: Handlers,
): Promise<Attached> {
  const isReattach = token !== undefined
  const handshake = {
    version,
    is_reattach: isReattach,
    session_id: isReattach ? (id ?? null) : null,
    session_token: token === "" ? null : (token ?? null),
  }
  const connection = await connect(socket, { handshake, encrypted, ...handlers })
  try {
    const { accepted, session_token: newToken, error } = await connection.handshake()
    if (!accepted) throw new IpcRefused(error ?? "no reason was given")
    return { connection, token: newToken ?? token }
  } catch (fault) {
    connection.destroy()
    throw fault
  }
}

async function readToken({ tokenFile }: AgentAddress): Promise<string | undefined> {
  return (await readSmallFile(tokenFile, MAX_TOKEN_BYTES))?.trim() || undefined
}
