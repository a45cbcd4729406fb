// `turnhouse mcp ls`: the servers of this folder and user, and their state in open sessions. Starts none.
import { exitCodes } from "../../app/app-fault.ts"
import { listServers, type ListedServer, type ListedServers } from "../../app/mcp/list.ts"
import { askHosts, reportsOf, withOpenSessions, type HostServers } from "../../app/mcp/open-sessions.ts"
import { printNotice } from "../../app/terminal.ts"
import { oneLine } from "../../contract/text/text.ts"
import type { McpServerReport } from "../../contract/views/host.ts"
import type { Args } from "../command.ts"
import { contextWithWarnings } from "../context-options.ts"
import { table, writeJson, type Columns } from "../output.ts"
import { counted } from "../../display/format.ts"

/** Exit code 1 if a server cannot be used as it is configured. */
export async function list(args: Args): Promise<number> {
  const context = await contextWithWarnings(args)
  const [configured, hosts] = await Promise.all([listServers(context), askHosts(context)])
  const found = withOpenSessions(configured, hosts)
  if (args.flag("json")) writeJson({ ...found, hosts: hosts.map(asJson) })
  else show(found, hosts)
  for (const problem of found.problems) printNotice(`turnhouse: ${oneLine(problem, Infinity)}`)
  const isFaulty = found.problems.length > 0 || found.servers.some(({ state }) => state === "invalid")
  return isFaulty ? exitCodes.failed : exitCodes.done
}

/** Null if a host did not answer. */
function asJson({ host, value }: HostServers) {
  return { ...host, servers: value ?? null }
}

function show({ servers }: ListedServers, hosts: readonly HostServers[]): void {
  const none = "No MCP servers. 'turnhouse mcp add NAME -- COMMAND' or 'turnhouse mcp add NAME URL' adds one.\n"
  process.stdout.write(servers.length === 0 ? none : table(servers, columns))
  const live = servers.flatMap((server) => liveLines(reportsOf(server, hosts)))
  if (live.length > 0) process.stdout.write(`\n${live.join("\n")}\n`)
  for (const { name, problem } of servers)
    if (problem !== null) printNotice(`turnhouse: MCP server ${oneLine(`"${name}": ${problem}.`, Infinity)}`)
  for (const { host, value } of hosts)
    if (value === undefined)
      printNotice(`turnhouse: host ${host.role} ${host.pid} did not report the state of its MCP servers`)
  const advice = servers.find(({ state }) => state === "needs login")
  if (advice !== undefined) printNotice(`turnhouse: to log in: turnhouse mcp login ${advice.name}`)
}

const columns: Columns<ListedServer> = {
  NAME: ({ name }) => oneLine(name, 64),
  TRANSPORT: ({ transport }) => transport ?? "-",
  STATE: ({ state }) => state,
  TRUST: ({ trusted }) => (trusted ? "yes" : "no"),
  FROM: ({ source }) => oneLine(source, Infinity),
}

const MAX_LINE = 300

/** A line for each state of a server in open sessions: below the table, where there is room for an error. */
export function liveLines(reports: readonly McpServerReport[]): readonly string[] {
  const states = Map.groupBy(reports, ({ state }) => state)
  return [...states].flatMap(([state, same]) => {
    const [first] = same
    const text = first === undefined ? undefined : lineOf(state, same.length, first)
    return first === undefined || text === undefined ? [] : [oneLine(`${first.name}: ${text}`, MAX_LINE)]
  })
}

function lineOf(
  state: McpServerReport["state"],
  count: number,
  { tools, connectMs, lastError }: McpServerReport,
): string | undefined {
  const sessions = `in ${counted(count, "session")}`
  switch (state) {
    case "ready":
      return `running ${sessions} · ${counted(tools, "tool")}${connectMs === null ? "" : ` · connected in ${connectMs} ms`}`
    case "failed":
      return `failed ${sessions}: ${lastError ?? "unknown reason"}`
    case "starting":
    case "needs login":
      return `${state} ${sessions}`
    case "idle":
    case "stopped":
      return undefined
  }
}
