// Which calls a permission given in advance covers, and which permission is offered for a call. `*` in a pattern must not
// let a model add what the person who granted it did not see: a second command, or a file outside the working folder.
import { fitsGlob, globGaps } from "../text/glob.ts"
import type { AskCause, Grant, JsonValue } from "../values.ts"
import { coreTool, permissionArgument, sendsTo } from "./core-tools.ts"
import { textIn } from "../json-object.ts"
import { destinationIn, isAllowedByRules, networkTool } from "./network-rules.ts"
import { patchPaths } from "./patch-paths.ts"
import { isServerTool } from "./server-tools.ts"
import { commandPattern } from "./command-pattern.ts"

/** `outside`: the paths outside the working folder that the call would touch. */
export function permits(
  { tool, pattern }: Pick<Grant, "tool" | "pattern">,
  input: JsonValue,
  outside: readonly string[] = [],
): boolean {
  const destination = tool === networkTool ? destinationIn(input) : undefined
  if (destination !== undefined) return isAllowedByRules([pattern], destination)
  const argument = permissionArgument(tool, input)
  if (pattern === argument) return true
  switch (coreTool(tool)?.argument) {
    case "command":
      return fitsCommand(pattern, argument)
    case "path":
      return fitsPath(pattern, argument, outside)
    case undefined:
      return outside.length === 0 && fitsGlob(pattern, argument)
  }
}

/** Ends a command, starts another one, or reads and writes files besides the arguments. */
const SHELL_CONTROL = /[;&|<>()$`]|(?!\t)\p{Cc}/u
/** Changes how the text after it is read. */
const SHELL_QUOTING = /["'\\#]/

/**
 * Options by which a listed program runs another one or writes a file, with their abbreviations: --upload-pack,
 * --receive-pack, --exec and --output of git, -exec, -toolexec and -vettool of go.
 */
const RUNS_PROGRAM = /(?:^|\s)--?(?:upl|rece|exec|outp|toolexec|vettool)/
/** The shell makes several words of braces with one of these, so that an option can be written in parts. */
const BRACE_PARTS = /,|\.\./

/** A pattern that is only `*` is every command. */
function fitsCommand(pattern: string, command: string): boolean {
  if (pattern === "*") return true
  const gaps = globGaps(pattern, command)
  if (gaps === undefined) return false
  return gaps.every((gap, at) => {
    const isLast = at === gaps.length - 1 && pattern.endsWith("*")
    const words = gap.replaceAll(/["'\\]/g, "")
    if (SHELL_CONTROL.test(gap) || hasBraces(words) || RUNS_PROGRAM.test(words)) return false
    return isLast || !SHELL_QUOTING.test(gap)
  })
}

function hasBraces(words: string): boolean {
  const open = words.indexOf("{")
  return open !== -1 && BRACE_PARTS.test(words.slice(open))
}

/** Paths outside the working folder need a pattern that names their folder. */
function fitsPath(pattern: string, path: string, outside: readonly string[]): boolean {
  if (!fitsGlob(pattern, path) || path.split("/").includes("..")) return false
  return outside.every((real) => pattern.startsWith("/") && fitsGlob(pattern, real))
}

/** Whether a permission spares the next request that has this cause. Untrusted text asks again, except for a named host. */
export function sparesCause(tool: string, cause: AskCause): boolean {
  if (cause === "untrusted") return sendsTo(tool) === "any host"
  return cause === "preset" || cause === "confirm"
}

/** Tools whose permission is offered for every file of the folder. */
const fileChangers = new Set(["write", "edit"])

/** The pattern that is offered for a call; undefined if it can only be approved once. */
export function offeredPattern(tool: string, input: JsonValue): string | undefined {
  if (tool === "apply_patch") return patchPaths(textIn(input, "input") ?? "").every(isInFolder) ? "*" : undefined
  if (isServerTool(tool)) return "*" // the tool as a whole: what its arguments mean is known to its server only
  const argument = permissionArgument(tool, input)
  const kind = coreTool(tool)?.argument
  if (kind === "path" && fileChangers.has(tool) && isInFolder(argument)) return "*"
  const pattern = kind === "command" ? commandPattern(argument) : argument
  return pattern.includes("*") && (pattern === argument || !permits({ tool, pattern }, input)) ? undefined : pattern
}

function isInFolder(path: string): boolean {
  return !/^[~/]/.test(path) && !path.split("/").includes("..")
}
