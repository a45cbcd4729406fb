// Checks names of models before anything needs them: a session whose model or fallback no configured provider serves is
// refused before anything is started for it.
import type { Config } from "../../contract/config.ts"
import { configuredNames, type ConfiguredName } from "../../models/configured-names.ts"
import { UnknownProvider, type ModelProblem } from "../../models/model-source.ts"
import type { ModelRegistry } from "../../models/registry.ts"
import { usageFault } from "../app-fault.ts"
import type { AppContext } from "../context.ts"
import { modelsOfHome } from "./model-files.ts"

/** `name`: the model that was named for the session. Without one the default is used, which always works. */
export async function checkModel(name: string | undefined, { config }: AppContext): Promise<void> {
  const model = name ?? config.model
  const { fallback = [] } = config
  if (model === undefined && fallback.length === 0) return
  const { createModelSource } = await import("../../models/registry.ts")
  const models = createModelSource({ config, env: process.env })
  try {
    if (model !== undefined) await models.checkProvider(model)
    for (const other of fallback) await models.checkProvider(other)
  } catch (fault) {
    if (!(fault instanceof UnknownProvider)) throw fault
    throw usageFault(fault.model === model ? fault.message : `"fallback" of the configuration: ${fault.message}`)
  }
}

export type NameProblem = ConfiguredName & ModelProblem

/** What is wrong with the names in the configuration; nothing is sent. */
export async function modelNameProblems(config: Config, models: ModelRegistry): Promise<readonly NameProblem[]> {
  const found: NameProblem[] = []
  for (const configured of configuredNames(config)) {
    const problem = await models.problemOf(configured.name)
    if (problem !== undefined) found.push({ ...configured, ...problem })
  }
  return found
}

/** For a server, whose agents may have models of their own. */
export async function modelWarnings({ config, home }: AppContext): Promise<readonly string[]> {
  const { createModelSource } = await import("../../models/registry.ts")
  const models = createModelSource({ config, env: process.env, ...modelsOfHome(home) })
  return (await modelNameProblems(config, models)).map(({ where, what }) => `${where}: ${what}`)
}
