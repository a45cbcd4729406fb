// The short list of models that setup shows, and what an answer to it means. Pure.
import type { SetupModels } from "../../app/setup/list-models.ts"
import { oneLine } from "../../contract/text/text.ts"
import { columns, dollars } from "../output.ts"

type Model = SetupModels["models"][number]

export interface ModelMenu {
  /** Those that have a number. */
  readonly shown: readonly Model[]
  /** All that can be chosen. */
  readonly models: readonly Model[]
  readonly lines: readonly string[]
}

const MAX_SHOWN = 10
/** Below this width prices are left out. */
const PRICES_FROM_COLUMNS = 60
const MAX_NAME = 60

/** The preferred one first, then models that something is known about. Without models that cannot call tools. */
export function rankModels(models: readonly Model[], preferred: string | undefined): readonly Model[] {
  const ids = new Set(models.map(({ id }) => id))
  const isChoosable = ({ id, abilities }: Model) =>
    id === preferred || (abilities?.tools !== false && !isDatedTwin(id, ids))
  const rank = ({ id, contextWindow, prices }: Model) => {
    if (id === preferred) return 0
    return contextWindow !== undefined || prices !== undefined ? 1 : 2
  }
  return models.filter(isChoosable).toSorted((one, other) => rank(one) - rank(other))
}

/**
 * A list without the preferred model gets it if it is in use now, or if it is the short name of a dated one: some
 * providers list only those.
 */
export function withPreferred(
  models: readonly Model[],
  provider: string,
  { current, byDefault }: { readonly current: string | undefined; readonly byDefault: string | undefined },
): { readonly models: readonly Model[]; readonly preferred: string | undefined } {
  const preferred = current ?? byDefault
  if (preferred === undefined || models.some(({ id }) => id === preferred)) return { models, preferred }
  const twin = models.find(({ id }) => isDatedTwin(id, new Set([preferred])))
  if (current === undefined && twin === undefined) return { models, preferred: undefined }
  return { models: [{ ...(twin ?? { provider, name: preferred }), id: preferred }, ...models], preferred }
}

/** `x-20260101`, where `x` is listed too. */
export function isDatedTwin(id: string, ids: ReadonlySet<string>): boolean {
  return /-\d{8}$/.test(id) && ids.has(id.slice(0, -"-20260101".length))
}

/** `models` in their order; `words`: only those whose name has each of them. */
export function modelMenu(
  models: readonly Model[],
  words: readonly string[],
  defaultModel: string | undefined,
  width: number,
): ModelMenu {
  const found = models.filter((model) =>
    words.every((word) => `${model.id} ${model.name}`.toLowerCase().includes(word)),
  )
  const shown = found.slice(0, MAX_SHOWN)
  const more = found.length - shown.length
  return {
    shown,
    models,
    lines: [
      ...table(shown, defaultModel, width),
      ...(more === 0 ? [] : [`     and ${more.toLocaleString("en-US")} more; type to search`]),
    ],
  }
}

function table(shown: readonly Model[], defaultModel: string | undefined, width: number): readonly string[] {
  const hasPrices = width >= PRICES_FROM_COLUMNS
  const header = ["", "MODEL", "CONTEXT", ...(hasPrices ? ["$ IN", "$ OUT"] : [])]
  const rows = shown.map((model, at) => [
    String(at + 1).padStart(3),
    `${oneLine(model.id, MAX_NAME)}${model.id === defaultModel ? " *" : ""}`,
    model.contextWindow?.toLocaleString("en-US") ?? "?",
    ...(hasPrices ? [dollars(model.prices?.input), dollars(model.prices?.output)] : []),
  ])
  return shown.length === 0 ? [] : columns([header, ...rows], [2, 3, 4])
}

export type ModelAnswer =
  | { readonly kind: "model"; readonly id: string }
  | { readonly kind: "search"; readonly words: readonly string[] }

/** A number, a whole name, or words to search for; nothing is the first of those shown. */
export function readModelAnswer(answer: string, { shown, models }: ModelMenu, provider: string): ModelAnswer {
  const text = answer.trim()
  const [first] = shown
  if (text === "" && first !== undefined) return { kind: "model", id: first.id }
  const numbered = /^\d+$/.test(text) ? shown[Number(text) - 1] : undefined
  if (numbered !== undefined) return { kind: "model", id: numbered.id }
  const named = models.find(({ id }) => id === text || `${provider}/${id}` === text)
  if (named !== undefined) return { kind: "model", id: named.id }
  return {
    kind: "search",
    words: text
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== ""),
  }
}
