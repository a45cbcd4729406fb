// Where a session works, for its model: what stays the same, and what changes from turn to turn.
import { arch, release, type } from "node:os"
import { instructionFolders, trustsInstructions } from "../../config/instructions/folders.ts"
import { existsSync, realpathSync } from "node:fs"
import { join } from "node:path"
import { gitState } from "./git-state.ts"

export interface EnvironmentRequest {
  readonly home: string
  readonly cwd: string
  /** The folder whose trust counts. */
  readonly settingsFolder: string
}

/** The same in every request of a session. */
export function stableFacts({ cwd }: EnvironmentRequest): string {
  const { root } = instructionFolders(cwd)
  const repository = existsSync(join(root, ".git")) ? `yes, its root is ${root}` : "no"
  return [
    `Platform: ${type()} ${release()} (${arch()})`,
    "Shell: bash",
    `Working folder: ${cwd}`,
    `Git repository: ${repository}`,
  ].join("\n")
}

/** Date and git state at the beginning of a turn. */
export async function changingFacts(request: EnvironmentRequest, now: Date): Promise<string> {
  const { home, cwd, settingsFolder } = request
  const { root } = instructionFolders(cwd)
  const date = `Date: ${localDate(now)} (${weekdays[now.getDay()]}), time zone ${timeZone()}`
  if (!existsSync(join(root, ".git"))) return date
  const trusted = await trustsInstructions(home, instructionFolders(settingsFolder))
  const state = await gitState({ root, cwd, trusted, env: process.env })
  return state === undefined ? date : `${date}\n${state}`
}

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
let knownZone: string | undefined

/** Looked up once: each formatter takes native memory until the next full collection. */
export function timeZone(): string {
  knownZone ??= systemZone() ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  return knownZone
}

/** Where the system says it: the first formatter of a process costs 8 ms. */
function systemZone(): string | undefined {
  const { TZ: wanted } = process.env
  if (wanted !== undefined) return undefined
  try {
    return /\/zoneinfo\/(?:posix\/|right\/)?([A-Z]\w*(?:\/[\w+-]+){0,2})$/.exec(realpathSync("/etc/localtime"))?.[1]
  } catch {
    return undefined // it has none, or a copy
  }
}

function localDate(now: Date): string {
  const [month, day] = [now.getMonth() + 1, now.getDate()].map((number) => String(number).padStart(2, "0"))
  return `${now.getFullYear()}-${month}-${day}`
}
