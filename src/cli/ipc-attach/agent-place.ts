// Resolves which agent to attach to: a socket by its path, or an agent of the socket folder by its id or a prefix of it.
import { resolve } from "node:path"
import { isAlive, listAgents, type AgentMetadata, type Place } from "../../clients/ipc/index.ts"
import { isAgentId } from "../../protocols/ipc/agent-paths.ts"
import { findByPrefix } from "../find-by-prefix.ts"
import { AppFault, usageFault, exitCodes } from "../../app/app-fault.ts"
import type { Args } from "../command.ts"
import { ipcFolder } from "../../app/session-sockets/ipc-folder.ts"
import { loadContextLeniently } from "../../app/context.ts"

export async function wantedPlace(args: Args): Promise<Place> {
  const id = args.text("agent")
  const [path] = args.positionals
  if (id !== undefined && path !== undefined) throw usageFault("give a socket or --agent, not both")
  if (id === undefined) return resolve(path ?? "")
  const folder = await folderOf(args)
  if (isAgentId(id) && (await isAlive({ folder, id }))) return { folder, id } // aliases of a session have files too
  const agents = await listAgents(folder)
  const found = findByPrefix(agents, "", id, ({ session_id: sessionId }) => sessionId)
  if (found.kind === "one") return { folder, id: found.item.session_id }
  if (found.kind === "several") throw usageFault(`'${id}' matches more than one agent: ${idsOf(found.items)}`)
  const others = agents.length === 0 ? "no agent is running there" : `running: ${idsOf(agents)}`
  throw new AppFault(`no agent '${id}' in ${folder}; ${others}`, exitCodes.unreachable)
}

async function folderOf(args: Args): Promise<string> {
  const wanted = args.text("folder")
  if (wanted !== undefined) return resolve(wanted)
  const { home, config } = await loadContextLeniently()
  return ipcFolder(home, config)
}

function idsOf(agents: readonly AgentMetadata[]): string {
  return agents.map(({ session_id: id }) => id).join(", ")
}
