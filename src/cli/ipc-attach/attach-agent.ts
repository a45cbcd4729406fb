// `turnhouse attach FILE.sock` and `attach --agent ID`: attaches to any agent that speaks brainwires IPC v2.
import {
  Viewer,
  type Place,
  type ViewerEvent,
  IpcFault,
  IpcNoHandshake,
  IpcNotReachable,
  IpcRefused,
  IpcTimeout,
  isAlive,
  listAgents,
  type AgentMetadata,
} from "../../clients/ipc/index.ts"
import { attachInput } from "../attach/input-loop.ts"
import { AppFault, usageFault, exitCodes } from "../../app/app-fault.ts"
import type { Args } from "../command.ts"
import { printNotice, styled } from "../../app/terminal.ts"
import { AgentPrinter } from "./agent-printer.ts"
import { AttachedAgent, typedHelp } from "./attached-agent.ts"
import { resolve } from "node:path"
import { isAgentId } from "../../protocols/ipc/agent-paths.ts"
import { findByPrefix } from "../../app/find-by-prefix.ts"
import { ipcFolder } from "../../app/session-sockets/ipc-folder.ts"
import { loadContextLeniently } from "../../app/context.ts"

/** About six seconds in all, enough for a restarted agent. */
const reconnect = { attempts: 6 }

export async function attachAgent(args: Args, turns: number): Promise<number> {
  const place = await requestedPlace(args)
  const isJson = args.flag("json")
  const viewer = await opened(place, isJson ? printFrame : undefined)
  const isTyped = process.stdin.isTTY && !args.flag("watch")
  const printer = isJson ? undefined : new AgentPrinter(() => viewer.state)
  if (printer !== undefined) greet(viewer, printer, turns, args.flag("watch"))
  try {
    const attached = new AttachedAgent(viewer, { printer, typed: isTyped })
    return await attachInput(attached, { isWatching: args.flag("watch") }, () => Promise.resolve())
  } finally {
    await viewer.close()
  }
}

function greet(viewer: Viewer, printer: AgentPrinter, turns: number, isWatching: boolean): void {
  const { sessionId, model } = viewer.state
  printNotice(styled("dim", `agent ${sessionId}  ${model}`))
  if (process.stdin.isTTY) printNotice(styled("dim", isWatching ? "Ctrl-C detaches" : typedHelp))
  printer.begin(turns)
  viewer.onEvent((event) => printer.show(event))
}

async function opened(place: Place, onEvent: ((event: ViewerEvent) => void) | undefined): Promise<Viewer> {
  try {
    return await Viewer.attach(place, { reconnect, ...(onEvent !== undefined && { onEvent }) })
  } catch (fault) {
    throw asAppFault(fault)
  }
}

function asAppFault(fault: unknown): unknown {
  if (!(fault instanceof IpcFault)) return fault
  if (fault instanceof IpcRefused) return new AppFault(fault.message, exitCodes.refused)
  if (fault instanceof IpcNotReachable)
    return new AppFault(
      `${fault.message}. 'turnhouse ls' lists sessions, and 'turnhouse attach ID' opens one.`,
      exitCodes.unreachable,
    )
  if (fault instanceof IpcNoHandshake || fault instanceof IpcTimeout)
    return new AppFault(fault.message, exitCodes.unreachable)
  return usageFault(fault.message)
}

function printFrame(event: ViewerEvent): void {
  if (event.kind === "message") process.stdout.write(`${JSON.stringify(event.message)}\n`)
  if (event.kind === "notice") printNotice(`turnhouse: unreadable message: ${event.what}`)
  if (event.kind === "lost") printNotice(`turnhouse: ${event.why}`)
}

async function requestedPlace(args: Args): Promise<Place> {
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
  const folder = args.text("folder")
  if (folder !== undefined) return resolve(folder)
  const { home, config } = await loadContextLeniently()
  return ipcFolder(home, config)
}

function idsOf(agents: readonly AgentMetadata[]): string {
  return agents.map(({ session_id: id }) => id).join(", ")
}
