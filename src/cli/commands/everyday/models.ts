// `turnhouse models`: the models that can be used, with context windows, prices and abilities, and what else could be.
import { exitCodes, usageFault } from "../../../app/app-fault.ts"
import { listModels, refreshModels, type AvailableModels, type ListedModel } from "../../../app/settings/list-models.ts"
import { printNotice } from "../../../app/terminal.ts"
import { readExtensionModel } from "../../../contract/rules/extension-model.ts"
import { oneLine } from "../../../contract/text/text.ts"
import type { Args } from "../../command.ts"
import { contextWithWarnings } from "../../context-options.ts"
import { isDatedTwin } from "../../setup/model-menu.ts"
import { hanging, textWidth } from "../../print/hanging.ts"
import { dollars, table, writeJson, type Columns } from "../../output.ts"
import { counted } from "../../../display/format.ts"

/** Models of one provider that are shown without being asked for. */
const MAX_SHOWN = 20

export async function run(args: Args): Promise<number> {
  if (args.text("from") !== undefined && !args.flag("refresh")) throw usageFault("--from needs --refresh")
  const context = await contextWithWarnings(args)
  const isRefreshed = !args.flag("refresh") || printParts(await refreshModels(context, args.text("from")))
  const found = await listModels(context)
  for (const warning of found.warnings) printNotice(`turnhouse: ${warning}`)
  const shown = selected(found, args.positionals)
  if (args.flag("json")) writeJson(shown)
  else process.stdout.write(text(shown, args))
  return isRefreshed && !isMissing(shown, args) ? exitCodes.done : exitCodes.failed
}

/** Whether everything was fetched. */
function printParts(parts: Awaited<ReturnType<typeof refreshModels>>): boolean {
  for (const { name, models, problem } of parts)
    printNotice(problem === undefined ? `${name}: ${counted(models, "model")}` : `${name}: not refreshed, ${problem}`)
  return parts.every(({ problem }) => problem === undefined)
}

/** The models whose name has every word. */
function selected(found: AvailableModels, words: readonly string[]): AvailableModels {
  const wanted = words.flatMap((word) => word.toLowerCase().split(/\s+/)).filter((word) => word !== "")
  if (wanted.length === 0) return found
  const matches = (model: ListedModel) => {
    const name = `${nameOf(model)} ${model.name}`.toLowerCase()
    return wanted.every((word) => name.includes(word))
  }
  return { ...found, models: found.models.filter(matches), otherModels: found.otherModels.filter(matches) }
}

function isMissing({ models, otherModels }: AvailableModels, args: Args): boolean {
  return args.positionals.length > 0 && models.length === 0 && !(args.flag("all") && otherModels.length > 0)
}

const shownColumns: Columns<ListedModel> = {
  "": ({ isDefault }) => (isDefault ? "*" : ""),
  MODEL: (model) => oneLine(nameOf(model), Infinity),
  CONTEXT: ({ contextWindow }) => contextWindow?.toLocaleString("en-US") ?? "?",
  IN: ({ prices }) => dollars(prices?.input),
  OUT: ({ prices }) => dollars(prices?.output),
  ABILITIES: ({ abilities = {} }) =>
    Object.entries(abilities)
      .flatMap(([name, has]) => (has === true ? [name] : []))
      .join(" "),
}

function text(found: AvailableModels, args: Args): string {
  const isAll = args.flag("all") || args.positionals.length > 0
  const groups = [...Map.groupBy(found.models, ({ provider }) => provider).values()].toSorted(defaultFirst)
  const shown = isAll ? groups : groups.map(withoutSurplus)
  const others = args.flag("all") ? found.otherModels : []
  const list = [...shown.flat(), ...others]
  return [
    ...(list.length === 0 ? nothingFound(found, args) : [table(list, shownColumns, ["CONTEXT", "IN", "OUT"])]),
    ...groups.flatMap((models, at) => surplusLine(models, (shown[at] ?? models).length)),
    ...notes(found),
    ...(args.positionals.length > 0 ? [] : [...whenUnknown(found.unknownProviders), ...alsoPossible(found)]),
    "",
  ].join("\n")
}

function defaultFirst(one: readonly ListedModel[], other: readonly ListedModel[]): number {
  return Number(hasDefault(other)) - Number(hasDefault(one))
}

function hasDefault(models: readonly ListedModel[]): boolean {
  return models.some(({ isDefault }) => isDefault)
}

/** Without dated names of models that are listed by name, and not more than fit a screen. */
function withoutSurplus(models: readonly ListedModel[]): readonly ListedModel[] {
  const ids = new Set(models.map(({ id }) => id))
  const isRepeated = ({ id, isDefault }: ListedModel) => !isDefault && isDatedTwin(id, ids)
  const kept = models.filter((model) => !isRepeated(model))
  const marked = kept.filter(({ isDefault }) => isDefault)
  return kept.length <= MAX_SHOWN
    ? kept
    : [...marked, ...kept.filter(({ isDefault }) => !isDefault)].slice(0, MAX_SHOWN)
}

function surplusLine(models: readonly ListedModel[], shown: number): readonly string[] {
  const [first] = models
  if (first === undefined || models.length === shown) return []
  return [`${models.length - shown} more of ${first.provider}: turnhouse models ${first.provider}/`]
}

function notes({
  priceData,
  dataAge: { date, days, isOld },
  catalogue: { fetched },
}: AvailableModels): readonly string[] {
  const todo = isOld ? `The model data is ${days} days old: ` : ""
  return [
    ...wrapped("* marks the default. Prices are US dollars per million tokens, input and output; '?' is unknown."),
    ...wrapped(`Price data of ${priceData.date}, model data of ${date}; prices.json in the home overrides them.`),
    ...(fetched === undefined || isOld ? wrapped(`${todo}'turnhouse models --refresh' fetches newer data.`) : []),
  ]
}

function nothingFound(found: AvailableModels, args: Args): readonly string[] {
  const wanted = args.positionals.join(" ")
  if (found.otherModels.length > 0) {
    const names = found.otherModels.slice(0, MAX_SHOWN).map(nameOf)
    return [`No model that can be used now matches "${wanted}". Without a key: ${names.join(", ")}.`, ""]
  }
  return [`No model matches "${wanted}".`, ""]
}

function nameOf({ provider, id }: ListedModel): string {
  return readExtensionModel(id) === undefined ? `${provider}/${id}` : id
}

function whenUnknown(extensions: readonly string[]): readonly string[] {
  if (extensions.length === 0) return []
  const ids = oneLine(extensions.join(", "), Infinity)
  return [`Extensions may add models; they are listed while a session with them is open: ${ids}.`]
}

/** Providers that are explained one by one; of the others only the names are shown. */
const MAX_EXPLAINED = 4

function alsoPossible({ models, unavailable }: AvailableModels): readonly string[] {
  const isOffline = models.every(({ provider }) => provider === "offline")
  const heading = isOffline
    ? wrapped(
        "Only the offline model is available, which follows fixed rules. 'turnhouse setup' asks for another one. " +
          "Or start a local server (Ollama, LM Studio, vLLM), or:",
      )
    : ["Also possible:"]
  const rows = unavailable
    .slice(0, MAX_EXPLAINED)
    .flatMap(({ provider, reason }) => wrapped(`${provider}: ${shortReason(reason)}`, "  "))
  const others = Map.groupBy(unavailable.slice(MAX_EXPLAINED), ({ reason }) => reason.includes("no key"))
  const more = (needKey: boolean, todo: string) => {
    const names = (others.get(needKey) ?? []).map(({ provider }) => provider)
    return names.length === 0 ? [] : wrapped(`${names.join(", ")}: ${todo}`, "  ")
  }
  const [withKey, withMore] = [more(true, "turnhouse login PROVIDER"), more(false, "see docs/models.md")]
  return rows.length === 0 ? [] : ["", ...heading, ...rows, ...withKey, ...withMore]
}

/** On a terminal broken between words. */
function wrapped(line: string, margin = ""): readonly string[] {
  return process.stdout.isTTY ? hanging(margin, line, textWidth(process.stdout)) : [`${margin}${line}`]
}

/** What to do, without the provider's name and the longest of the ways. */
function shortReason(reason: string): string {
  const todo = /(?:no key|no region|no address): (.*?)(?:, or set providers\.\S+ in the configuration)?\.$/.exec(
    reason,
  )?.[1]
  return (todo ?? reason).replace(", run 'turnhouse login", " or run 'turnhouse login").replaceAll("'", "")
}
