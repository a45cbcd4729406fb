// Rules of the configuration about calls: `TOOL`, or `TOOL(ARGUMENT)` in the syntax of Claude Code's permissions, such as
// `Bash(npm run test:*)`, `Edit(src/**)`, `WebFetch(domain:example.org)`. A rule that lets calls run must cover all of a
// call; a rule that stops or asks needs to match a part of it.
import { homedir } from "node:os"
import { relative } from "node:path"
import { textIn } from "../../../contract/json-object.ts"
import { canonicalToolName, coreTool, permissionArgument } from "../../../contract/rules/core-tools.ts"
import { permits } from "../../../contract/rules/grants.ts"
import { fitsServerTool } from "../../../contract/rules/server-tools.ts"
import { parseToolRule } from "../../../contract/rules/tool-rule.ts"
import { hostOf } from "../../../contract/rules/web-address.ts"
import { fitsGlob, globMatcher } from "../../../contract/text/glob.ts"
import type { JsonValue } from "../../../contract/values.ts"
import { realPathOf } from "../../../tools/files/paths.ts"

export interface RuledCall {
  readonly tool: string
  readonly input: JsonValue
  readonly cwd: string
  /** Real paths that it accesses. */
  readonly paths: readonly string[]
  /** The same paths as the call names them: a link has a name that a rule may forbid, and leads to another path. */
  readonly namedPaths?: readonly string[]
}

/** Whether a rule covers the whole call. */
export function isAllowedBy(rules: readonly string[], call: RuledCall): boolean {
  return rules.some((rule) => fits(rule, call, "all"))
}

/** Whether a rule matches the call or a part of it. */
export function isMatchedBy(rules: readonly string[], call: RuledCall): boolean {
  return rules.some((rule) => fits(rule, call, "part"))
}

/** Paths in files of a search that rules for reading with an argument match. */
export function readMatcher(rules: readonly string[], cwd: string): (realPath: string) => boolean {
  const matchers = rules.map(parseToolRule).flatMap(({ name, argument }) => {
    const isForReading = toolsUnder(canonicalToolName(name)).some((pattern) => fitsGlob(pattern, "read"))
    return argument === undefined || !isForReading ? [] : [pathMatcher(argument, cwd)]
  })
  return (path) => matchers.some((matches) => matches(path))
}

type Extent = "all" | "part"

function fits(rule: string, call: RuledCall, extent: Extent): boolean {
  const { name, argument } = parseToolRule(rule)
  const tool = canonicalToolName(name)
  if (argument === undefined) return fitsGlob(tool, call.tool) || fitsServerTool(tool, call.tool)
  if (!fitsServerTool(tool, call.tool) && !toolsUnder(tool).some((pattern) => fitsGlob(pattern, call.tool)))
    return false
  if (coreTool(call.tool)?.argument === "command") return fitsCommand(argument, call, extent)
  if (call.paths.length > 0) return fitsPaths(argument, call, extent)
  if (argument.startsWith("domain:")) return fitsDomain(argument.slice("domain:".length), call.input)
  return fitsGlob(argument, permissionArgument(call.tool, call.input))
}

/** A rule with an argument for one file tool is about files: it holds for all tools that read, or all that change them. */
const readers = ["read", "grep", "find", "ls"]
const changers = ["write", "edit", "apply_patch"]

function toolsUnder(tool: string): readonly string[] {
  if (readers.includes(tool)) return readers
  return changers.includes(tool) ? changers : [tool]
}

function fitsCommand(argument: string, { input }: RuledCall, extent: Extent): boolean {
  const patterns = commandPatterns(argument)
  if (extent === "all") return patterns.some((pattern) => permits({ tool: "bash", pattern }, input))
  const command = textIn(input, "command") ?? ""
  const parts = [command, ...command.split(SEPARATORS)].flatMap(spellingsOf)
  return patterns.some((pattern) => parts.some((part) => fitsGlob(pattern, part)))
}

/** `git push:*` and `git push *` are the command with any arguments, or none. */
function commandPatterns(argument: string): readonly string[] {
  const start = /^(.*?)(?::\*| \*)$/s.exec(argument)?.[1]
  return start === undefined ? [argument] : [start, `${start} *`]
}

/** Where another command may start. A shell has more ways to hide one: see docs/tools.md. */
const SEPARATORS = /[;&|\n()`{}]+/
const PREFIXES = /^(?:(?:\w+=\S*|sudo|env|nohup|nice|time|exec|command|builtin|xargs|then|do|else|!)\s+)*/

/** A command as it is written, and without quotes, repeated white space and the folder of its program. */
function spellingsOf(part: string): readonly string[] {
  const command = part.trim().replace(PREFIXES, "")
  const plain = command.replaceAll(/["'\\]/g, "").replaceAll(/\s+/g, " ")
  return [command, plain, plain.replace(/^\S*\//, "")]
}

function fitsPaths(argument: string, { paths, namedPaths = [], cwd }: RuledCall, extent: Extent): boolean {
  const matches = pathMatcher(argument, cwd)
  return extent === "all" ? paths.every(matches) : [...paths, ...namedPaths].some(matches)
}

function pathMatcher(argument: string, cwd: string): (path: string) => boolean {
  const { base, globs } = pathGlobs(argument, cwd)
  const matchers = globs.map(globMatcher)
  return (path) => {
    const inside = relative(base, path)
    const isOutside = inside === ".." || inside.startsWith("../")
    return !isOutside && matchers.some((matcher) => matcher?.(`${anchor}/${inside}`) === true)
  }
}

interface PathGlobs {
  readonly base: string
  /** Over paths below the anchor. A folder stands for everything in it. */
  readonly globs: readonly string[]
}

/** Stands for the base in globs and paths, because a glob without a folder would match at any depth. */
const anchor = "base"

/**
 * `//x` is absolute, `~/x` in the user's folder, `/x` and `./x` in the working folder. Any other path is also below the
 * working folder; if it has no slash, it is the name of a file or folder at any depth.
 */
function pathGlobs(argument: string, cwd: string): PathGlobs {
  if (argument.startsWith("//")) return { base: "/", globs: below(argument.slice(2)) }
  if (argument.startsWith("~/")) return { base: realPathOf(homedir(), "/"), globs: below(argument.slice(2)) }
  const base = realPathOf(cwd, "/")
  if (!argument.includes("/")) return { base, globs: [...below(argument), ...below(`**/${argument}`)] }
  return { base, globs: below(argument.replace(/^\.?\//, "")) }
}

function below(glob: string): readonly string[] {
  return [`${anchor}/${glob}`, `${anchor}/${glob}/**`]
}

function fitsDomain(domain: string, input: JsonValue): boolean {
  const host = hostOf(textIn(input, "url") ?? "")
  return host !== undefined && fitsGlob(domain.toLowerCase(), host)
}
