// Searches the contents of files. One line per match, as `path:line:text`; lines around a match as `path-line-text`.
import { checks, toolInputSchemas } from "../../contract/generated/tool-inputs.js"
import { limits } from "../../contract/limits.ts"
import type { GrepInput } from "../../contract/tool-inputs.ts"
import { defineTool, failed, withoutPreparation } from "../define-tool.ts"
import type { FileToolDeps } from "../files/file-memory.ts"
import { globMatcher } from "../../contract/text/glob.ts"
import { scrubbedStart, boundText } from "../output-bound.ts"
import { ripgrep, searchPlace, searchResult } from "./ripgrep.ts"
import { compare } from "./smallest.ts"
import type { CommandDeps } from "../start-command.ts"
import type { TextScrubber, Tool, ToolContext, ToolResult } from "../tool.ts"

const MAX_MATCHES = 500
const lineBytes = 500

export type SearchDeps = FileToolDeps & CommandDeps

export function grepTool(deps: SearchDeps): Tool {
  return defineTool<GrepInput>({
    name: "grep",
    description:
      "Searches file contents with a regular expression and returns path:line:text for each match. Obeys .gitignore.",
    class: "read",
    isReadOnly: true,
    check: checks.grep,
    inputSchema: toolInputSchemas.grep,
    prepare: async (input, context) => withoutPreparation(context, () => grep(input, context, deps)),
  })
}

async function grep(input: GrepInput, context: ToolContext, deps: SearchDeps): Promise<ToolResult> {
  const place = await searchPlace(input.path, context.cwd, deps)
  if (place.kind === "no") return failed(place.reason)
  const isIncluded = includeMatcher(input.include)
  if (isIncluded === undefined) return failed(`'${input.include}' is not a valid glob.`)
  const show = (found: string) => (isIncluded(found.replace(/^\.\//, "")) ? place.displayPath(found) : undefined)
  const { output = "content", limit = MAX_MATCHES } = input
  const matches = output === "content" ? new Matches(show, limit) : new MatchingFiles(show, limit)
  const args = [...grepArgs(input), "--regexp", input.pattern, "--", place.target]
  const onRecord = (record: string) => matches.add(withoutHalfSecret(record, context.scrubber))
  const searched = await ripgrep(deps, context, { args, folder: place.folder, recordEnd: "\n", onRecord })
  return searchResult(searched, (truncated) => ({
    body: matches.count === 0 ? "Nothing matches." : boundText(matches.text(output === "count")),
    details: { matches: matches.count, truncated },
  }))
}

function grepArgs(input: GrepInput): string[] {
  const form = ["--no-heading", "--with-filename", "--line-number", "--null", "--no-context-separator"]
  const bounds = [`--max-columns=${lineBytes}`, "--max-columns-preview", `--max-count=${MAX_MATCHES + 1}`]
  const { context = 0, before = context, after = context, output = "content" } = input
  const shown =
    output === "content" ? [...form, ...bounds, `--before-context=${before}`, `--after-context=${after}`] : countForm
  return [...shown, ...flagsOf(input), ...nameFilter(input.include)]
}

/** Names of files are those with a count. */
const countForm = ["--count", "--with-filename", "--null"]

function flagsOf({ ignore_case, literal, multiline }: GrepInput): string[] {
  return [
    ...(ignore_case === true ? ["--ignore-case"] : []),
    ...(literal === true ? ["--fixed-strings"] : []),
    ...(multiline === true ? ["--multiline", "--multiline-dotall"] : []),
  ]
}

/** A file type, unlike --glob, does not override .gitignore. It matches the name only, to avoid reading other files; the
 *  whole glob is applied to the results. */
function nameFilter(include: string | undefined): string[] {
  if (include === undefined || include.startsWith("!")) return []
  const name = include.slice(include.lastIndexOf("/") + 1)
  const balanced = name.split("{").length === name.split("}").length
  if (name === "" || name === "**" || !balanced) return []
  return ["--type-add", `included:${name}`, "--type=included"]
}

function includeMatcher(include: string | undefined): ((path: string) => boolean) | undefined {
  if (include === undefined) return () => true
  if (!include.startsWith("!")) return globMatcher(include)
  const excluded = globMatcher(include.slice(1))
  return excluded && ((path) => !excluded(path))
}

/** Ripgrep adds a notice to a line that it has cut. */
function withoutHalfSecret(record: string, scrubber: TextScrubber | undefined): string {
  const notice = / \[\.\.\. (?:omitted end of long line|\d+ more match(?:es)?)\]$/.exec(record)
  return notice === null ? record : scrubbedStart(record.slice(0, notice.index), scrubber) + notice[0]
}

/** Lines by file. Ripgrep prints file by file, in no order. */
class Matches {
  readonly #show: (found: string) => string | undefined
  readonly #files = new Map<string, { shown: string | undefined; lines: string[] }>()
  readonly #limit: number
  #bytes = 0
  count = 0

  constructor(displayPath: (found: string) => string | undefined, limit: number) {
    this.#show = displayPath
    this.#limit = limit
  }

  add(record: string): boolean {
    const [, found, number, separator, text] = /^([^\0]*)\0(\d+)([:-])(.*)$/su.exec(record) ?? []
    if (found === undefined || text === undefined) return true // a notice about a binary file
    const file = this.#fileOf(found)
    if (file.shown === undefined) return true
    if (separator === ":" && this.count === this.#limit) return false
    if (separator === ":") this.count++
    const line = `${file.shown}${separator}${number}${separator}${text}`
    file.lines.push(line)
    this.#bytes += Buffer.byteLength(line) + 1
    return this.#bytes < limits.toolOutputBytes
  }

  text(): string {
    const files = [...this.#files.values()].toSorted((a, b) => compare(a.shown ?? "", b.shown ?? ""))
    return files.flatMap((file) => file.lines).join("\n")
  }

  #fileOf(found: string) {
    const known = this.#files.get(found) ?? { shown: this.#show(found), lines: [] }
    this.#files.set(found, known)
    return known
  }
}

/** Files that match, each with the number of its matching lines. */
class MatchingFiles {
  readonly #show: (found: string) => string | undefined
  readonly #limit: number
  readonly #counts = new Map<string, string>()

  constructor(displayPath: (found: string) => string | undefined, limit: number) {
    this.#show = displayPath
    this.#limit = limit
  }

  get count(): number {
    return this.#counts.size
  }

  add(record: string): boolean {
    const [, found, number] = /^([^\0]*)\0(\d+)$/su.exec(record) ?? []
    const shown = found === undefined ? undefined : this.#show(found)
    if (shown === undefined || number === undefined) return true
    if (this.#counts.size === this.#limit) return false
    this.#counts.set(shown, number)
    return true
  }

  text(withCounts: boolean): string {
    const files = [...this.#counts].toSorted(([one], [other]) => compare(one, other))
    return files.map(([file, number]) => (withCounts ? `${file}:${number}` : file)).join("\n")
  }
}
