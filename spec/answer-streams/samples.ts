// Every format with its streams.
import { anthropicSamples } from "./anthropic-samples.ts"
import { compatibleSamples, cutOffSamples, openaiSamples } from "./chat-dialect-samples.ts"
import { chatSamples } from "./chat-samples.ts"
import { formats, type Format } from "./compare.ts"
import type { Sample } from "./events.ts"
import { responsesSamples } from "./responses-samples.ts"

/** Only the package knows how an answer of another server ends without a finish reason. */
const takenOver = (sample: Sample): Sample => ({ ...sample, takeovers: 1 })

export const samples: readonly (readonly [Format, readonly Sample[]])[] = [
  [formats.openaiChat, [...chatSamples, ...openaiSamples, ...cutOffSamples]],
  [formats.compatibleChat, [...chatSamples, ...compatibleSamples, ...cutOffSamples.map(takenOver)]],
  [formats.responses, responsesSamples],
  [formats.anthropic, anthropicSamples],
]
