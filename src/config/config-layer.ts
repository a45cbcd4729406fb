// One configuration file: parsed, with each problem and its position. A missing value is not a problem yet, since another
// file may set it.
import type { Config } from "../contract/config.ts"
import type { Check } from "../contract/generated/config.js"
import { explain, type Problem } from "./explain.ts"
import type { Environment } from "./home.ts"
import type { LayerFile, LayerText } from "./layer-files.ts"
import { parseConfigText, placeOf } from "./parse-config-text.ts"
import { dotted } from "./plain.ts"
import { projectProblems } from "./project-rules.ts"
import { resolvePaths } from "./resolve-paths.ts"
import { unavailableSettings } from "./unavailable.ts"

export interface FileText {
  readonly path: string
  readonly text: string
}

export interface ConfigLayer extends LayerFile, FileText {
  readonly value: unknown
  readonly problems: readonly string[]
}

export async function readLayer({ content, ...file }: LayerText, env: Environment): Promise<ConfigLayer> {
  if (content.kind === "unreadable") {
    return { ...file, text: "", value: {}, problems: [`${file.path}: ${content.what}.`] }
  }
  const { text } = content
  const parsed = await parseConfigText(text)
  if (parsed.kind === "broken") {
    const { line, column } = parsed.place
    return { ...file, text, value: {}, problems: [`${file.path}:${line}:${column}: ${parsed.what}.`] }
  }
  const layer = { ...file, text, value: resolvePaths(parsed.value, file.path, env) }
  const problems = await problemsIn(file, parsed.value)
  return { ...layer, problems: await placed(layer, problems) }
}

/** Each problem with its position, in the order of the file. */
export async function placed(layer: FileText, problems: readonly Problem[]): Promise<readonly string[]> {
  const found = await Promise.all(
    problems.map(async ({ path, at, what }) => ({ ...(await placeOf(layer.text, path, at)), what })),
  )
  return found
    .toSorted((a, b) => a.line - b.line || a.column - b.column)
    .map(({ line, column, what }) => `${layer.path}:${line}:${column}: ${what}${/[.?)]$/.test(what) ? "" : "."}`)
}

/** The generated checker is large, so it is loaded with the first file. */
export async function configCheck(): Promise<Check<Config>> {
  const { checks } = await import("../contract/generated/config.js")
  return checks.config
}

async function problemsIn(file: LayerFile, value: unknown): Promise<readonly Problem[]> {
  const check = await configCheck()
  const wrong = (check(value) ? [] : explain(check.errors ?? [], value)).filter((problem) => !problem.missing)
  const further = [...unavailableSettings(value), ...(file.kind === "project" ? projectProblems(value) : [])]
  const reported = new Set(wrong.map(({ path }) => dotted(path)))
  return [...wrong, ...further.filter(({ path }) => !reported.has(dotted(path)))]
}
