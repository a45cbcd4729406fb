// The thinking levels: one vocabulary for all providers, clients and files.
export const thinkingLevels = ["off", "minimal", "low", "medium", "high", "max"] as const

/** Selects the default of the provider again; it is no level. */
export const DEFAULT_THINKING = "default"

type Level = (typeof thinkingLevels)[number]

export function isThinkingLevel(text: string): text is Level {
  return thinkingLevels.some((level) => level === text)
}

/** Tokens for thinking, on top of those of the answer. */
export const thinkingTokens: Readonly<Record<Level, number>> = {
  off: 0,
  minimal: 1024,
  low: 4096,
  medium: 10_000,
  high: 20_000,
  max: 32_000,
}
