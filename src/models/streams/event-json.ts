// Parses the data of an event. What the provider packages refuse is left to them: text that is no JSON, and keys that
// change prototypes where objects are merged.

/** Undefined for data that only the package may judge. */
export function parseEvent(data: string): unknown {
  if (isSuspicious(data)) return undefined
  try {
    const value: unknown = JSON.parse(data)
    return value
  } catch {
    return undefined
  }
}

function isSuspicious(data: string): boolean {
  if (data.includes("__proto__") || data.includes("constructor")) return /"(?:__proto__|constructor)"\s*:/.test(data)
  return data.includes("\\u00") && /\\u00[567]/.test(data)
}
