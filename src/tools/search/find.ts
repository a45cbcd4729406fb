// Finds files and folders by name or path. A folder is found if it contains a file that is not ignored.
import { isAbsolute, relative } from "node:path"
import { checks, toolInputSchemas } from "../../contract/generated/tool-inputs.js"
import type { FindInput } from "../../contract/tool-inputs.ts"
import { defineTool, failed, withoutPreparation } from "../define-tool.ts"
import { globMatcher } from "../../contract/text/glob.ts"
import type { SearchDeps } from "./grep.ts"
import { boundText } from "../output-bound.ts"
import { ripgrep, searchPlace, searchResult } from "./ripgrep.ts"
import { Smallest } from "./smallest.ts"
import type { Tool, ToolContext, ToolResult } from "../tool.ts"
import { withoutTrailing } from "../../contract/text/text.ts"

const MAX_PATHS = 500

export function findTool(deps: SearchDeps): Tool {
  return defineTool<FindInput>({
    name: "find",
    description:
      "Finds files and folders whose name or path matches a glob, such as *.md or src/**/*.test.ts. Obeys .gitignore.",
    class: "read",
    isReadOnly: true,
    check: checks.find,
    inputSchema: toolInputSchemas.find,
    prepare: async (input, context) => withoutPreparation(context, () => find(input, context, deps)),
  })
}

async function find(input: FindInput, context: ToolContext, deps: SearchDeps): Promise<ToolResult> {
  const place = await searchPlace(input.path, context.cwd, deps)
  if (place.kind === "no") return failed(place.reason)
  const pattern = withoutTrailing(input.pattern, "/") || input.pattern
  const matches = globMatcher(isAbsolute(pattern) ? relative(place.folder, pattern) : pattern)
  if (matches === undefined) return failed(`'${input.pattern}' is not a valid glob.`)
  const { limit = MAX_PATHS } = input
  const found = input.sort === "modified" ? new FirstPaths(limit) : new Smallest(limit)
  const offer = (path: string, end: "" | "/") => {
    const shown = matches(path) ? place.displayPath(path) : undefined
    if (shown !== undefined) found.add(shown + end)
  }
  const folders = new Folders((folder) => offer(folder, "/"))
  const onRecord = (record: string) => {
    const path = record.replace(/^\.\//, "")
    if (input.type !== "file") folders.add(path)
    if (input.type !== "directory") offer(path, "")
    return true
  }
  const order = input.sort === "modified" ? ["--sortr=modified"] : []
  const args = ["--files", "--null", ...order, "--", place.target]
  const searched = await ripgrep(deps, context, { args, folder: place.folder, recordEnd: "\0", onRecord })
  return searchResult(searched, (isStopped) => {
    const paths = found.sorted()
    const omittedCount = found.total - paths.length
    const lines = paths.length === 0 ? ["Nothing matches."] : [...paths]
    if (omittedCount > 0)
      lines.push(`[${omittedCount.toLocaleString("en")} more; make the pattern or the path narrower.]`)
    return {
      body: boundText(lines.join("\n")),
      details: { found: found.total, truncated: omittedCount > 0 || isStopped },
    }
  })
}

/** Reports every parent folder of a file once. */
class Folders {
  readonly #seen = new Set<string>()
  readonly #offer: (folder: string) => void

  constructor(offer: (folder: string) => void) {
    this.#offer = offer
  }

  add(path: string): void {
    const end = path.lastIndexOf("/")
    if (end === -1) return
    const folder = path.slice(0, end)
    if (this.#seen.has(folder)) return
    this.#seen.add(folder)
    this.#offer(folder)
    this.add(folder)
  }
}

/** The first paths in the order of the search, where that is the order of the result. */
class FirstPaths {
  readonly #limit: number
  readonly #paths: string[] = []
  #total = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get total(): number {
    return this.#total
  }

  add(path: string): void {
    this.#total++
    if (this.#paths.length < this.#limit) this.#paths.push(path)
  }

  sorted(): readonly string[] {
    return this.#paths
  }
}
