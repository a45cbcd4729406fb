// The models that need no key and no network, by name:
//   offline/demo         phrases that drive real tools        offline/demo:0       the same, 0 ms per word
//   offline/script:FILE  a script, read from the file
import type { LanguageModelV4 } from "@ai-sdk/provider"
import type { Usage } from "../../contract/values.ts"
import { type ModelChoice, ModelUnavailable } from "../model-source.ts"
import { demoReply } from "./demo/reply.ts"
import { playingModel } from "./playing-model.ts"
import { Attempts, scriptReply } from "./script/script-reply.ts"
import { readScript } from "./script/read-script.ts"
import type { Script } from "./part.ts"

export interface OfflineOptions {
  /** Milliseconds per word. */
  readonly delayMs?: number | undefined
}

const defaults = { delayMs: 12, contextWindow: 32_000, maxOutput: 4096 }
/** Shared by all models of this process, because a retry may use another model object. */
const attempts = new Attempts()

export function offlineModel(name: string, options: OfflineOptions = {}): LanguageModelV4 {
  const kind = kindOf(name)
  if (kind.kind === "script") return scriptModel(name, kind.path, options)
  const delayMs = options.delayMs ?? kind.delayMs ?? defaults.delayMs
  return playingModel(localName(name), async (call) => ({ delayMs, parts: demoReply(call) }))
}

/** Reads a script once, so that an invalid one is refused before a turn starts. */
export async function offlineChoice(name: string, options: OfflineOptions = {}): Promise<ModelChoice> {
  const kind = kindOf(name)
  const script: Script = kind.kind === "script" ? await readScript(kind.path) : { steps: [] }
  return {
    name,
    model: offlineModel(name, options),
    contextWindow: script.contextWindow ?? defaults.contextWindow,
    maxOutput: script.maxOutput ?? defaults.maxOutput,
    takesPrefill: true,
    costUsd: (usage) => cost(script, usage),
  }
}

function scriptModel(name: string, path: string, options: OfflineOptions): LanguageModelV4 {
  return playingModel(localName(name), async (call) => {
    const script = await readScript(path)
    const delayMs = options.delayMs ?? script.delayMs ?? defaults.delayMs
    return { delayMs, parts: scriptReply(script, path, call, attempts) }
  })
}

type Kind =
  | { readonly kind: "demo"; readonly delayMs: number | undefined }
  | { readonly kind: "script"; readonly path: string }

function kindOf(name: string): Kind {
  const own = localName(name)
  if (own.startsWith("script:") && own.length > "script:".length) {
    return { kind: "script", path: own.slice("script:".length) }
  }
  const demo = /^demo(?::(\d+))?$/.exec(own)
  if (demo !== null || own === "offline") {
    return { kind: "demo", delayMs: demo?.[1] === undefined ? undefined : Number(demo[1]) }
  }
  throw new ModelUnavailable(`There is no offline model "${name}". Choose offline/demo or offline/script:FILE.`)
}

function localName(name: string): string {
  return name.replace(/^offline\//, "")
}

/** A script without a price is free; a null price is unknown. */
function cost({ pricePerMillion }: Script, usage: Usage): number | undefined {
  if (pricePerMillion === undefined) return 0
  if (pricePerMillion === null) return undefined
  return (usage.input * pricePerMillion.input + usage.output * pricePerMillion.output) / 1_000_000
}
