// One model of a catalogue as one line of text: `ID CONTEXT OUTPUT ABILITIES PRICES NAME`. A line per model keeps the
// bundled data small, a refresh readable as a diff, and the parsing of models that are not looked up unnecessary.
// `-` is unknown. An ability is a letter: lower case the model has it, upper case it has not, absent unknown.
import type { ModelAbilities, TokenPrices } from "../../contract/views/host.ts"
import { oneLine } from "../../contract/text/text.ts"

export interface CatalogueModel {
  readonly id: string
  readonly name: string | undefined
  readonly contextWindow: number | undefined
  /** What the model can give in one answer. */
  readonly outputLimit: number | undefined
  readonly abilities: ModelAbilities
  readonly prices: CataloguePrices | undefined
}

export interface CataloguePrices {
  readonly base: TokenPrices
  /** Prices of requests with more input than this, the smallest first. */
  readonly longer: readonly { readonly inputAbove: number; readonly prices: TokenPrices }[]
}

const letters = { images: "i", thinking: "t", tools: "c", pdf: "p" } as const satisfies Record<
  keyof ModelAbilities,
  string
>
const MAX_ID_LENGTH = 200
const MAX_NAME_LENGTH = 100

export function formatModel(model: CatalogueModel): string {
  const { id, name, contextWindow, outputLimit, abilities, prices } = model
  const fields = [id, number(contextWindow), number(outputLimit), formatAbilities(abilities), formatPrices(prices)]
  return `${fields.join(" ")} ${name ?? ""}`.trimEnd()
}

/** Undefined for a line that is none. */
export function parseModel(line: string): CatalogueModel | undefined {
  const [id = "", context = "", output = "", abilities = "", prices, ...name] = line.split(" ")
  if (!isModelId(id) || prices === undefined) return undefined
  return {
    id,
    name: modelName(name.join(" ")),
    contextWindow: count(context),
    outputLimit: count(output),
    abilities: parseAbilities(abilities),
    prices: parsePrices(prices),
  }
}

/** Ids are separated by spaces, and end up on terminals and in file names of errors. */
export function isModelId(id: string): boolean {
  return id.length > 0 && id.length <= MAX_ID_LENGTH && /^[\x21-\x7e]+$/.test(id)
}

export function modelName(name: string): string | undefined {
  const line = oneLine(name, MAX_NAME_LENGTH).trim()
  return line === "" ? undefined : line
}

function formatAbilities(abilities: ModelAbilities): string {
  const known = Object.entries(letters).map(([ability, letter]) => formatAbility(abilities, ability, letter))
  return known.join("") || "-"
}

function formatAbility(abilities: ModelAbilities, name: string, letter: string): string {
  const has = new Map<string, boolean | undefined>(Object.entries(abilities)).get(name)
  if (has === undefined) return ""
  return has ? letter : letter.toUpperCase()
}

function parseAbilities(text: string): ModelAbilities {
  const ability = (letter: string) =>
    text.includes(letter) ? true : text.includes(letter.toUpperCase()) ? false : undefined
  return {
    images: ability(letters.images),
    thinking: ability(letters.thinking),
    tools: ability(letters.tools),
    pdf: ability(letters.pdf),
  }
}

function formatPrices(prices: CataloguePrices | undefined): string {
  if (prices === undefined) return "-"
  return [rates(prices.base), ...prices.longer.map((tier) => `${tier.inputAbove}=${rates(tier.prices)}`)].join(",")
}

function rates({ input, output, cacheRead, cacheWrite5m }: TokenPrices): string {
  return [input, output, cacheRead, cacheWrite5m].map(number).join(":")
}

function parsePrices(text: string): CataloguePrices | undefined {
  const [base = "", ...tiers] = text.split(",")
  const prices = parseRates(base)
  if (prices === undefined) return undefined
  const longer = tiers.flatMap((tier) => {
    const [above = "", found = ""] = tier.split("=")
    const tierPrices = parseRates(found)
    const inputAbove = count(above)
    return tierPrices === undefined || inputAbove === undefined ? [] : [{ inputAbove, prices: tierPrices }]
  })
  return { base: prices, longer }
}

function parseRates(text: string): TokenPrices | undefined {
  const [input, output, cacheRead, cacheWrite5m] = text.split(":").map(amount)
  return input === undefined || output === undefined ? undefined : { input, output, cacheRead, cacheWrite5m }
}

function number(value: number | undefined): string {
  return value === undefined ? "-" : String(value)
}

function amount(text: string): number | undefined {
  const value = text === "" || text === "-" ? NaN : Number(text)
  return Number.isFinite(value) && value >= 0 ? value : undefined
}

function count(text: string): number | undefined {
  const value = amount(text)
  return value !== undefined && value > 0 ? value : undefined
}
