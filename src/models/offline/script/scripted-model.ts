// A model with a script in memory, for tests, which may put gates between its parts and inspect its calls.
import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider"
import { playingModel } from "../playing-model.ts"
import { Attempts, scriptReply } from "./script-reply.ts"
import type { Script, Step } from "../part.ts"

export interface ScriptedModel extends LanguageModelV4 {
  /** Every call so far, oldest first. */
  readonly calls: readonly LanguageModelV4CallOptions[]
}

/** Without delay per word unless the script sets one. */
export function scriptedModel(script: readonly Step[] | Script): ScriptedModel {
  const whole: Script = "steps" in script ? script : { steps: script }
  const calls: LanguageModelV4CallOptions[] = []
  const attempts = new Attempts()
  const model = playingModel("scripted", async (options) => {
    calls.push(options)
    return { delayMs: whole.delayMs ?? 0, parts: scriptReply(whole, "The script", options, attempts) }
  })
  return { ...model, calls }
}
