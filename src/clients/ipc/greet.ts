// How a viewer gets in: it shows the token that lies beside the socket, or asks as a new one. A token may have changed
// since it was read, because the agent was started again: then it is read once more, and shown once more.
import { basename, dirname } from "node:path"
import { protocolVersion as version } from "../../protocols/ipc/handshake.ts"
import { agentFiles, isAgentId } from "../../protocols/ipc/agent-paths.ts"
import { readSmallFile } from "../../transports/small-file.ts"
import { IpcFault, IpcRefused } from "./faults.ts"
import { connect, type Link, type LinkOptions } from "./link.ts"
import type { Place } from "./options.ts"

export interface Wish {
  readonly place: Place
  readonly handshake: "new" | "reattach" | undefined
  /** One that the program brought, or that an earlier handshake gave. */
  readonly token: string | undefined
  readonly encrypted: boolean
}

export interface Greeted {
  readonly link: Link
  readonly sessionId: string
  readonly token: string | undefined
}

export interface Door {
  readonly socket: string
  readonly tokenFile: string
  /** Undefined when only a path is known, which need not be named after the session. */
  readonly id: string | undefined
}

const maxTokenBytes = 4096
const socketEnd = ".sock"

export async function greet(wish: Wish, hearing: Pick<LinkOptions, "hear" | "signal">): Promise<Greeted> {
  const door = doorOf(wish.place)
  const token = wish.token ?? (await tokenIn(door))
  if (wish.handshake === "new" || (wish.handshake === undefined && token === undefined))
    return enter(door, undefined, wish, hearing)
  try {
    return await enter(door, token ?? "", wish, hearing)
  } catch (fault) {
    if (!(fault instanceof IpcRefused) || fault.refusal !== "token-invalid") throw fault
    const newer = await tokenIn(door)
    if (newer === undefined || newer === token) throw fault
    return enter(door, newer, wish, hearing)
  }
}

export function doorOf(place: Place): Door {
  if (typeof place !== "string") {
    if (!isAgentId(place.id)) throw new IpcFault(`'${place.id}' is not the id of an agent`)
    const { socket, token } = agentFiles(place.folder, place.id)
    return { socket, tokenFile: token, id: place.id }
  }
  const { token } = agentFiles(dirname(place), basename(place, socketEnd))
  return { socket: place, tokenFile: token, id: undefined }
}

/** Without a token it is a new viewer. */
async function enter(
  { socket, id }: Door,
  token: string | undefined,
  { encrypted }: Wish,
  hearing: Pick<LinkOptions, "hear" | "signal">,
): Promise<Greeted> {
  const isReattach = token !== undefined
  const handshake = {
    version,
    is_reattach: isReattach,
    session_id: isReattach ? (id ?? null) : null,
    session_token: token === "" ? null : (token ?? null),
  }
  const link = await connect(socket, { handshake, encrypted, ...hearing })
  try {
    const { accepted, session_id: sessionId, session_token: given, error } = await link.shakeHands()
    if (!accepted) throw new IpcRefused(error ?? "no reason was given")
    return { link, sessionId, token: given ?? token }
  } catch (fault) {
    link.destroy()
    throw fault
  }
}

async function tokenIn({ tokenFile }: Door): Promise<string | undefined> {
  return (await readSmallFile(tokenFile, maxTokenBytes))?.trim() || undefined
}
