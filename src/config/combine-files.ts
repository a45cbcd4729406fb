// Merges the configuration files and checks the result. Loaded only if there is a file.
import type { Config } from "../contract/config.ts"
import { ConfigFault } from "./faults.ts"
import { configCheck, type ConfigLayer, type FileText, placed, readLayer } from "./config-layer.ts"
import { explain } from "./explain.ts"
import {
  globProblems,
  guardProblems,
  privateHostProblems,
  providerProblems,
  ruleProblems,
  searchProblems,
  workflowProblems,
} from "./cross-checks.ts"
import type { Environment } from "./home.ts"
import type { LayerFile, LayerText } from "./layer-files.ts"
import { isObject } from "../contract/json-object.ts"
import { merge, isTexts, type Path, valueAt } from "./plain.ts"
import { type Laid, layProject } from "./project-rules.ts"

const crossChecks = [
  workflowProblems,
  ruleProblems,
  globProblems,
  privateHostProblems,
  searchProblems,
  guardProblems,
  providerProblems,
]

export interface Combined {
  readonly config: Config
  readonly warnings: readonly string[]
  /** Folders of extensions and skills in the user's own files; never those of a project's file. */
  readonly ownFolders: readonly string[]
  /** The file of each entry of `mcpServers`. */
  readonly serverFiles: ServerFiles
}

export type ServerFiles = ReadonlyMap<string, LayerFile>

/** Throws ConfigFault. */
export async function combineFiles(files: readonly LayerText[], env: Environment): Promise<Combined> {
  const layers = await Promise.all(files.map((file) => readLayer(file, env)))
  let value: unknown = {}
  const warnings: string[] = []
  for (const layer of layers) {
    const laid: Laid =
      layer.kind === "project" ? layProject(value, layer.value) : { value: merge(value, layer.value), warnings: [] }
    value = laid.value
    warnings.push(...laid.warnings.map((what) => `${layer.path}: ${what}`))
  }
  const problems = layers.flatMap((layer) => layer.problems)
  const check = await configCheck()
  if (check(value) && problems.length === 0) {
    const wrong = crossChecks
      .flatMap((problemsIn) => problemsIn(value))
      .map((problem) => placed(lastWith(problem.path, layers), [problem]))
    if (wrong.length === 0)
      return { config: value, warnings, ownFolders: ownFoldersIn(layers), serverFiles: serverFilesIn(layers) }
    throw new ConfigFault((await Promise.all(wrong)).flat())
  }
  const left = explain(check.errors ?? [], value).filter((problem) => problem.missing || problems.length === 0)
  const missing = left.map((problem) => placed(lastWith(problem.path, layers), [problem]))
  throw new ConfigFault([...problems, ...(await Promise.all(missing)).flat()])
}

function ownFoldersIn(layers: readonly ConfigLayer[]): readonly string[] {
  const own = layers.filter(({ kind }) => kind !== "project")
  const named = own.flatMap(({ value }) => [
    valueAt(value, ["extensions", "paths"]),
    valueAt(value, ["skills", "paths"]),
  ])
  return [...new Set(named.filter(isTexts).flat())]
}

/** The last file with a name replaces the server of earlier ones. */
function serverFilesIn(layers: readonly ConfigLayer[]): ServerFiles {
  const entries = layers.flatMap(({ kind, path, value }) => {
    const servers = valueAt(value, ["mcpServers"])
    return Object.keys(isObject(servers) ? servers : {}).map((name) => [name, { kind, path }] as const)
  })
  return new Map(entries)
}

/** The last file that has the object in which something is missing. */
function lastWith(path: Path, layers: readonly ConfigLayer[]): FileText {
  return layers.findLast((layer) => valueAt(layer.value, path) !== undefined) ?? { path: "the configuration", text: "" }
}
