// Prices, limits and abilities from the user's JSON file, which take precedence over the bundled table. An invalid file is an
// error: a budget must not rely on prices that were not read.
import { isObject } from "../contract/json-object.ts"
import type { ModelAbilities } from "../contract/views/host.ts"
import { readFile } from "node:fs/promises"
import { ModelUnavailable } from "./model-source.ts"
import { tokenCostUsd } from "./catalogue/token-cost.ts"
import type { ModelFacts } from "./price-table.ts"

export type PriceOverrides = ReadonlyMap<string, ModelFacts>

const prices = ["input", "output", "cacheRead", "cacheWrite5m", "cacheWrite1h"]
const abilities = ["images", "thinking", "tools", "pdf"] as const
const fields = new Set<string>(["name", "contextWindow", "maxOutput", ...prices, ...abilities])

/** Keys are `provider/model`, or a model name for any provider. A missing file has no prices. */
export async function readPriceOverrides(path: string | undefined): Promise<PriceOverrides> {
  if (path === undefined) return new Map()
  const text = await readIfThere(path)
  if (text === undefined) return new Map()
  const parsed = parse(text, path)
  const models = isObject(parsed) ? parsed["models"] : undefined
  if (!isObject(models)) throw priceFileFault(path, "it must be an object with the key 'models'")
  return new Map(Object.entries(models).map(([id, entry]) => [id, factsOf(id, entry, path)]))
}

function factsOf(id: string, entry: unknown, path: string): ModelFacts {
  if (!isObject(entry)) throw priceFileFault(path, `models["${id}"] must be an object`)
  const unknown = Object.keys(entry).find((key) => !fields.has(key))
  if (unknown !== undefined) throw priceFileFault(path, `models["${id}"] has an unknown key '${unknown}'`)
  const number = (key: string): number | undefined => {
    const value = entry[key]
    if (value === undefined) return undefined
    if (typeof value === "number" && Number.isFinite(value) && value >= 0) return value
    throw priceFileFault(path, `models["${id}"].${key} must be a non-negative number`)
  }
  const tokenPrices = pricesOf(number, (problem) => priceFileFault(path, `models["${id}"] ${problem}`))
  return {
    id,
    name: typeof entry["name"] === "string" ? entry["name"] : undefined,
    contextWindow: number("contextWindow"),
    maxOutput: number("maxOutput"),
    abilities: abilitiesOf(entry, (problem) => priceFileFault(path, `models["${id}"]${problem}`)),
    prices: tokenPrices,
    costUsd: (usage) => (tokenPrices === undefined ? undefined : tokenCostUsd(tokenPrices, usage)),
  }
}

function pricesOf(number: (key: string) => number | undefined, makeFault: (problem: string) => Error) {
  const [input, output, cacheRead, cacheWrite5m, cacheWrite1h] = prices.map(number)
  if (input !== undefined && output !== undefined) return { input, output, cacheRead, cacheWrite5m, cacheWrite1h }
  if (prices.every((key) => number(key) === undefined)) return undefined
  throw makeFault("needs both 'input' and 'output', in US dollars per million tokens")
}

function abilitiesOf(entry: Readonly<Record<string, unknown>>, makeFault: (problem: string) => Error): ModelAbilities {
  const [images, thinking, tools, pdf] = abilities.map((ability) => {
    const value = entry[ability]
    if (value === undefined || typeof value === "boolean") return value
    throw makeFault(`.${ability} must be true or false`)
  })
  return { images, thinking, tools, pdf }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8")
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined
    throw priceFileFault(path, "it cannot be read")
  }
}

function parse(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw priceFileFault(path, "it is not JSON")
  }
}

function priceFileFault(path: string, problem: string): ModelUnavailable {
  return new ModelUnavailable(`The price file ${path} is wrong: ${problem}.`)
}
