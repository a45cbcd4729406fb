// Checks the installation: all checks in parallel, each with a time limit. Findings keep the order of the checks.
import { join } from "node:path"
import { ConfigFault } from "../../config/faults.ts"
import { homeFolder } from "../../config/home.ts"
import { messageOf, usageFault } from "../app-fault.ts"
import { closedFolders } from "../settings/tool-set.ts"
import { clusterOf } from "../cluster/cluster.ts"
import { clusterChecks } from "./cluster.ts"
import { databaseChecks } from "./database.ts"
import { editCommandChecks } from "./edit-commands.ts"
import { problem, warning, type Check, type Finding } from "./finding.ts"
import { homeChecks } from "./home.ts"
import { knowledgeChecks } from "./knowledge.ts"
import { machineChecks } from "./machine.ts"
import { mcpServerChecks } from "./mcp-servers.ts"
import { programChecks } from "./programs.ts"
import { providerChecks } from "./providers.ts"
import { readSettings, settingsChecks } from "./settings.ts"
import { webSearchChecks } from "./web-search.ts"

const usualLimitMs = 5000

export interface Examination {
  readonly findings: readonly Finding[]
  /** False if commands refuse the configuration. */
  readonly isUsable: boolean
  readonly usesSandbox: boolean
}

export async function examine(cwd: string, env: NodeJS.ProcessEnv): Promise<Examination> {
  const home = configuredHome(env)
  const { config, serverFiles, ownPlaces, findings: settings, isUsable } = await readSettings(home, cwd, env)
  const place = { home, config }
  const isCluster = clusterOf(place) !== undefined
  const sandbox = config.tools?.sandbox ?? "auto"
  const checks = [
    ...machineChecks(home),
    ...homeChecks(home, env),
    ...(isCluster ? clusterChecks(place) : databaseChecks(home)),
    ...knowledgeChecks(home, config),
    ...programChecks({ env, sandbox, network: config.tools?.network ?? "all", closed: closedFolders(home, config) }),
    ...editCommandChecks(config, env),
    ...mcpServerChecks({ home, env, config, serverFiles, ownPlaces, settingsFolder: cwd }),
    { subject: "configuration", look: async () => settings },
    ...settingsChecks(join(home, "prices.json"), env),
    ...providerChecks(config, env, home),
    ...webSearchChecks(config, env),
  ]
  return { findings: await runChecks(checks, usualLimitMs), isUsable, usesSandbox: sandbox !== "off" }
}

function configuredHome(env: NodeJS.ProcessEnv): string {
  try {
    return homeFolder(env)
  } catch (fault) {
    if (fault instanceof ConfigFault) throw usageFault(fault.message)
    throw fault
  }
}

export async function runChecks(checks: readonly Check[], limitMs: number): Promise<readonly Finding[]> {
  const found = await Promise.all(checks.map((check) => bounded(check, limitMs)))
  return found.flat()
}

async function bounded({ subject, look }: Check, limitMs: number): Promise<readonly Finding[]> {
  const late = Promise.withResolvers<readonly Finding[]>()
  const seconds = limitMs / 1000
  const timer = setTimeout(
    () => late.resolve([warning(subject, `no answer within ${seconds} s`, "find what blocks it and run doctor again")]),
    limitMs,
  )
  try {
    return await Promise.race([look(), late.promise])
  } catch (fault) {
    const what = messageOf(fault)
    return [problem(subject, `the check failed: ${what}`, "fix this and run doctor again")]
  } finally {
    clearTimeout(timer)
  }
}
