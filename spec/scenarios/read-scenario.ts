// Reads a scenario file: JSON, with comments and trailing commas allowed.
import { isJson } from "../../src/contract/json-object.ts"
import { readFileSync } from "node:fs"
import { parseConfigText } from "../../src/config/parse-config-text.ts"
import { isScenario, scenarioProblem } from "./check-scenario.ts"
import type { Scenario } from "./scenario.ts"

export function readScenario(path: string): Promise<Scenario> {
  return scenarioIn(path, contents(path))
}

/** Throws a sentence that names the file and what is wrong with it. */
export async function scenarioIn(path: string, text: string): Promise<Scenario> {
  const parsed = await parseConfigText(text)
  if (parsed.kind === "broken") throw new ScenarioFault(`${path}, line ${parsed.place.line}: ${parsed.what}`)
  if (isScenario(parsed.value)) return parsed.value
  const problem = isJson(parsed.value) ? scenarioProblem(parsed.value) : "is empty"
  throw new ScenarioFault(`${path} is no scenario: it ${problem}`)
}

export class ScenarioFault extends Error {}

function contents(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    throw new ScenarioFault(`${path} cannot be read`, { cause: error })
  }
}
