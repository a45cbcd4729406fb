import type { WriteAnswer } from "./write-request.ts"

export const done: WriteAnswer = { kind: "done" }
