// The models of a simulated session: one that follows the script, and some that fail in the ways that events tell of.
import { APICallError } from "@ai-sdk/provider"
import { QuotaExhausted } from "../../../models/faults.ts"
import { ModelUnavailable, type ModelSource } from "../../../models/model-source.ts"
import { scriptedModel } from "../../../models/offline/index.ts"
import type { Part } from "../../../models/offline/part.ts"

export type SimulatedModel = "scripted" | "other" | "broken" | "busy" | "failing"

/** The model that continues a turn whose provider fails. */
export const fallbackModel = "spare"

/** How often the quota of the busy model is exhausted before it answers, and for how long. */
const BUSY_TIMES = 2
const BUSY_MS = 60

interface Answers {
  readonly steps: readonly (readonly Part[])[]
  readonly delayMs: number
}

export function simulatedModels({ steps, delayMs }: Answers, now: () => number): ModelSource {
  const model = scriptedModel({ steps, delayMs })
  const facts = { contextWindow: 32_000, maxOutput: 4096, takesPrefill: true, costUsd: () => 0 }
  let busyTimes = 0
  return {
    resolve: async (name) => {
      if (name === "broken") throw new ModelUnavailable("The model is not available.")
      if (name === "busy" && busyTimes < BUSY_TIMES) {
        busyTimes += 1
        throw new QuotaExhausted("The quota is exhausted.", Math.floor(now()) + BUSY_MS)
      }
      return { name, model: name === "failing" ? { ...model, doStream: failingStream } : model, ...facts }
    },
  }
}

/** As a provider that wants to be left alone for an hour. */
async function failingStream(): Promise<never> {
  throw new APICallError({
    message: "The provider is overloaded.",
    url: "simulation://model",
    requestBodyValues: {},
    isRetryable: true,
    statusCode: 429,
    responseHeaders: { "retry-after": "3600" },
  })
}
