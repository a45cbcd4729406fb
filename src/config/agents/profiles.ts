// Agents of the configuration that are based on a named agent of the user (`agents.ID.from`).
import type { Config } from "../../contract/config.ts"
import { nearestKey } from "../../contract/text/nearest-key.ts"
import { ConfigFault } from "../faults.ts"
import type { NamedAgent } from "./agent-file.ts"
import type { AgentFiles } from "./agent-files.ts"

type Profile = NonNullable<Config["agents"]>[string]

/** What the configuration sets comes before what the file has. Throws ConfigFault. */
export async function withBasedAgents(config: Config, files: AgentFiles): Promise<Config> {
  const named = new Map((await files.list()).map((agent) => [agent.name, agent]))
  const agents = Object.entries(config.agents ?? {}).map(([id, { from, ...profile }]) => {
    if (from === undefined) return [id, profile] as const
    const base = named.get(from)
    if (base === undefined) throw new ConfigFault([missing(id, from, [...named.keys()])])
    return [id, based(profile, base)] as const
  })
  return { ...config, agents: Object.fromEntries(agents) }
}

function based(
  profile: Omit<Profile, "from">,
  { instructions, model, thinking, tools, documents }: NamedAgent,
): Profile {
  return {
    instructions,
    ...(model === undefined ? {} : { model }),
    ...(thinking === undefined ? {} : { thinking }),
    ...(tools === undefined ? {} : { tools: [...tools] }),
    ...(documents === undefined ? {} : { documents: [...documents] }),
    ...profile,
  }
}

function missing(id: string, from: string, names: readonly string[]): string {
  const nearest = nearestKey(from, names)
  const advice =
    nearest?.close === true ? `Did you mean '${nearest.key}'?` : "Define it in a file of your agents folder."
  return `agents.${id}.from: there is no agent named '${from}'. ${advice}`
}
