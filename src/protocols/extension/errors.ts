// The codes by which a host says no to what an extension asks of it.
import type { Answer } from "./receive.ts"

export const errorCodes = { unknownMethod: -32_601, badParams: -32_602, failed: -32_000 } as const

export function errorAnswer(code: keyof typeof errorCodes, message: string): Answer {
  return { kind: "error", code: errorCodes[code], message }
}
