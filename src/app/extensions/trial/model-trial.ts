// Tries the models of an extension: lists them, and calls each once if its author wants that, since a call may cost money.
import { messageOf } from "../../app-fault.ts"
import { systemClock, timing } from "../../../hooks/process/clock.ts"
import type { Extension } from "../../../hooks/process/extension.ts"
import { extensionModels, type ProvidedModel } from "../../../hooks/models/provider-model.ts"
import type { ProviderSpec } from "../../../protocols/extension/frames.ts"
import type { Understood } from "./understood.ts"
import type { Wait } from "./waiting.ts"

export interface ModelTrial {
  readonly name: string
  readonly displayName: string
  readonly contextWindow: number | null
  readonly takesTools: boolean
  /** Null if it was not called. */
  readonly answer: (Understood & { readonly ms: number; readonly deltas: number }) | null
}

const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "Say hello in one word." }] }]
const maxOutputTokens = 100

export async function tryModels(
  extension: Extension,
  providers: readonly ProviderSpec[],
  callsModels: boolean,
  wait: Wait,
): Promise<readonly ModelTrial[]> {
  const line = {
    extension: extension.spec.id,
    request: extension.request.bind(extension),
    ms: timing.providerMs,
    debug: () => {},
  }
  const trials: ModelTrial[] = []
  for (const model of extensionModels(providers, line)) {
    const { name, displayName, contextWindow = null, takesTools } = model
    const waitLabel = `the answer of ${name}, at most ${timing.providerMs / 1000} s`
    const answer = callsModels ? await wait(waitLabel, () => ask(model)) : null
    trials.push({ name, displayName, contextWindow, takesTools, answer })
  }
  return trials
}

async function ask({ language }: ProvidedModel): Promise<ModelTrial["answer"]> {
  const startedAt = systemClock.now()
  const text: string[] = []
  const answer = (ok: boolean, description: string) => {
    const ms = Math.round((systemClock.now() - startedAt) * 10) / 10
    return { ok, words: description, ms, deltas: text.length }
  }
  try {
    const { stream } = await language.doStream({ prompt, maxOutputTokens })
    for await (const part of stream) if (part.type === "text-delta") text.push(part.delta)
    return answer(true, `it says: ${text.join("")}`)
  } catch (fault) {
    return answer(false, messageOf(fault))
  }
}
