// The JSON-RPC errors with which a host answers calls of an extension.
import type { Answer } from "./codec.ts"

export const errorCodes = { unknownMethod: -32_601, badParams: -32_602, failed: -32_000 } as const

export function errorAnswer(code: keyof typeof errorCodes, message: string): Answer {
  return { kind: "error", code: errorCodes[code], message }
}
