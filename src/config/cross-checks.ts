// Checks what a schema cannot express: that the steps of a workflow have distinct names and lead to existing steps, that
// rules about tools have a valid argument, that globs and hosts are valid, that no guard is disabled, that a provider has
// only keys of its type.
import { isIP } from "node:net"
import type { Config } from "../contract/config.ts"
import { toolRuleProblem } from "../contract/rules/tool-rule.ts"
import { globMatcher, MAX_PATH_GLOB } from "../contract/text/glob.ts"
import type { Problem } from "./explain.ts"
import { dotted, type Path } from "./plain.ts"

export function workflowProblems({ agents = {} }: Config): readonly Problem[] {
  return Object.entries(agents).flatMap(([agentId, { workflow }]) => {
    const ids = workflow?.steps.map(({ id }) => id) ?? []
    return (workflow?.steps ?? []).flatMap(({ id, next }, index) => {
      const path = ["agents", agentId, "workflow", "steps", String(index)]
      const twice = ids.indexOf(id) === index ? [] : [wrong([...path, "id"], `duplicate step ${quoted(id)}`)]
      const leadsAstray = next !== undefined && !ids.includes(next)
      return leadsAstray ? [...twice, wrong([...path, "next"], `unknown step ${quoted(next)}`)] : twice
    })
  })
}

function wrong(path: Path, what: string): Problem {
  return { path, at: "value", what: `${dotted(path)}: ${what}`, missing: false }
}

function quoted(id: string): string {
  return JSON.stringify(id)
}

/** Rules with an argument have a syntax; elsewhere parentheses would never match. */
export function ruleProblems({ tools = {} }: Config): readonly Problem[] {
  const named = { endUser: tools.endUser ?? [], admin: tools.admin ?? [] }
  const ruled = {
    allow: tools.allow ?? [],
    confirm: tools.confirm ?? [],
    approve: tools.approve ?? [],
    deny: tools.deny ?? [],
  }
  return [...problemsIn(ruled, toolRuleProblem), ...problemsIn(named, argumentProblem)]
}

function argumentProblem(rule: string): string | undefined {
  return /[()]/.test(rule) ? "must be the name of a tool" : undefined
}

function problemsIn(
  lists: Readonly<Record<string, readonly string[]>>,
  problemOf: (rule: string) => string | undefined,
): readonly Problem[] {
  return Object.entries(lists).flatMap(([key, rules]) =>
    rules.flatMap((rule, index) => {
      const problem = problemOf(rule)
      return problem === undefined ? [] : [wrong(["tools", key, String(index)], `${quoted(rule)} ${problem}`)]
    }),
  )
}

/** A glob that matches nothing would turn off a formatter or a language server silently. */
export function globProblems({ tools = {} }: Config): readonly Problem[] {
  const formatters = Object.keys(tools.format ?? {}).map((glob) => ({ glob, path: ["tools", "format", glob] }))
  const servers = Object.entries(tools.languageServers ?? {}).flatMap(([name, { files }]) =>
    files.map((glob, index) => ({ glob, path: ["tools", "languageServers", name, "files", String(index)] })),
  )
  return [
    ...formatters.filter(isInvalid).map(({ glob, path }) => invalidGlob("key", path, "tools.format", glob)),
    ...servers.filter(isInvalid).map(({ glob, path }) => invalidGlob("value", path, dotted(path), glob)),
  ]
}

function isInvalid({ glob }: { readonly glob: string }): boolean {
  return globMatcher(glob) === undefined
}

function invalidGlob(at: Problem["at"], path: Path, where: string, glob: string): Problem {
  const what = `${where}: ${quoted(glob)} is not a valid glob; write a range of characters in ascending order, and at most ${MAX_PATH_GLOB} characters`
  return { path, at, what, missing: false }
}

/** A host that is written as the address of a page, or a network that is none, would never match. */
export function privateHostProblems({ web }: Config): readonly Problem[] {
  return (web?.allowPrivate ?? []).flatMap((entry, index) => {
    const path = ["web", "allowPrivate", String(index)]
    const what = `${quoted(entry)} must be a host (localhost), a host with a port (localhost:3000) or a network (10.0.0.0/8)`
    return /\s/.test(entry) || (entry.includes("/") && !isNetwork(entry)) ? [wrong(path, what)] : []
  })
}

/** A service without an address, or with one that is none, would fail at the first search. */
export function searchProblems({ web }: Config): readonly Problem[] {
  const { provider, baseURL } = web?.search ?? {}
  const path = ["web", "search", "baseURL"]
  if (baseURL === undefined && provider !== "searxng") return []
  if (baseURL === undefined)
    return [wrong(["web", "search", "provider"], "searxng needs its address in web.search.baseURL")]
  const isAddress = /^https?:$/.test(URL.parse(baseURL)?.protocol ?? "")
  return isAddress ? [] : [wrong(path, "expected an address with http:// or https://")]
}

function isNetwork(entry: string): boolean {
  const [base = "", bits = "", ...more] = entry.split("/")
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(base)] ?? -1
  return more.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= most
}

export function guardProblems({ extensions }: Config): readonly Problem[] {
  const { disabled = [], failClosed = [] } = extensions ?? {}
  return disabled.flatMap((id, index): Problem[] => {
    if (!failClosed.includes(id)) return []
    const path = ["extensions", "disabled", String(index)]
    const what = `extensions.disabled and extensions.failClosed both list ${JSON.stringify(id)}; remove it from one of them`
    return [{ path, at: "value", what, missing: false }]
  })
}

/** Keys that only one type of provider reads. */
const keysOfTypes = {
  profile: "amazon-bedrock",
  resourceName: "azure",
  apiVersion: "azure",
  project: "vertex",
  location: "vertex",
} as const

export function providerProblems({ providers = {} }: Config): readonly Problem[] {
  return Object.entries(providers).flatMap(([name, settings]) => {
    const given = new Set(Object.keys(settings))
    const misplaced = Object.entries(keysOfTypes).flatMap(([key, type]): Problem[] =>
      given.has(key) && settings.type !== type
        ? [foreignKey(["providers", name, key], `is only for type ${type}`)]
        : [],
    )
    const isDouble = given.has("resourceName") && given.has("baseURL")
    const path = ["providers", name, "resourceName"]
    return isDouble ? [...misplaced, foreignKey(path, "has no effect beside baseURL; remove one of them")] : misplaced
  })
}

function foreignKey(path: Path, what: string): Problem {
  return { path, at: "key", what: `${dotted(path)} ${what}`, missing: false }
}
