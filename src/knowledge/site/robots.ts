// Rules of a robots.txt (RFC 9309) for one user agent. Patterns are matched in linear time.
import { fitsGlob } from "../../contract/text/glob.ts"
import { siteLimits } from "./site-limits.ts"

export interface Robots {
  /** Of a path with its query. */
  allows(path: string): boolean
  readonly delayMs: number | undefined
  readonly sitemaps: readonly string[]
}

interface Rule {
  readonly isAllowed: boolean
  readonly pattern: string
}

interface Group {
  readonly agents: string[]
  readonly rules: Rule[]
  delaySeconds: number | undefined
}

const MAX_LINES = 20_000
const MAX_PATTERN = 2000

export function readRobots(text: string, agent: string): Robots {
  const { groups, sitemaps } = parsed(text)
  const ours = groups.filter(({ agents }) => agents.includes(agent))
  const used = ours.length > 0 ? ours : groups.filter(({ agents }) => agents.includes("*"))
  const rules = used.flatMap((group) => group.rules)
  const delay = used.find(({ delaySeconds }) => delaySeconds !== undefined)?.delaySeconds
  return {
    allows: (path) => isAllowed(rules, path),
    delayMs: delay === undefined ? undefined : Math.min(delay * 1000, siteLimits.delayMs),
    sitemaps,
  }
}

export const noRobots: Robots = { allows: () => true, delayMs: undefined, sitemaps: [] }

/** The longest pattern that fits decides; of two of the same length the one that allows. */
function isAllowed(rules: readonly Rule[], path: string): boolean {
  let best: Rule | undefined
  for (const rule of rules) {
    if (!fits(rule.pattern, path)) continue
    const [length, known] = [rule.pattern.length, best?.pattern.length ?? -1]
    if (length > known || (length === known && rule.isAllowed)) best = rule
  }
  return best?.isAllowed ?? true
}

/** `*` is any text and `$` at the end is the end; otherwise a pattern is a beginning. */
function fits(pattern: string, path: string): boolean {
  return pattern.endsWith("$") ? fitsGlob(pattern.slice(0, -1), path) : fitsGlob(`${pattern}*`, path)
}

function parsed(text: string): { readonly groups: readonly Group[]; readonly sitemaps: readonly string[] } {
  const groups: Group[] = []
  const sitemaps: string[] = []
  let isNaming = false
  for (const line of text.replace(/^\ufeff/, "").split(/\r\n?|\n/, MAX_LINES)) {
    const [key, value] = fieldOf(line)
    const group = groups.at(-1)
    if (key === "user-agent") {
      const agent = agentOf(value)
      if (isNaming && group !== undefined) group.agents.push(agent)
      else groups.push({ agents: [agent], rules: [], delaySeconds: undefined })
      isNaming = true
    } else if (key === "sitemap") sitemaps.push(value)
    else if (key !== "" && group !== undefined) {
      addField(group, key, value)
      isNaming = false
    }
  }
  return { groups, sitemaps: sitemaps.slice(0, siteLimits.sitemaps) }
}

function addField(group: Group, key: string, value: string): void {
  if (key === "crawl-delay") {
    const seconds = Number(value)
    if (value !== "" && seconds >= 0) group.delaySeconds = seconds
  }
  const isRule = key === "allow" || key === "disallow"
  if (isRule && value !== "" && value.length <= MAX_PATTERN)
    group.rules.push({ isAllowed: key === "allow", pattern: value })
}

function fieldOf(line: string): readonly [key: string, value: string] {
  const content = line.split("#", 1)[0] ?? ""
  const colon = content.indexOf(":")
  if (colon === -1) return ["", ""]
  return [content.slice(0, colon).trim().toLowerCase(), content.slice(colon + 1).trim()]
}

/** The name of a program, without its version. */
function agentOf(value: string): string {
  return value === "*" ? "*" : (/^[\w-]+/.exec(value)?.[0] ?? "").toLowerCase()
}
