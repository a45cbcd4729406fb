// What the demo can be asked for. understand.ts finds these in a message, work.ts carries them out.
import type { JsonValue } from "../../../contract/values.ts"

export type Request =
  | { readonly kind: "look"; readonly path: string | undefined }
  /** `wanted` is what to tell from the file: a key, a word, "first line", "number of lines". */
  | { readonly kind: "read"; readonly path: string; readonly wanted: string | undefined }
  | { readonly kind: "search"; readonly text: string; readonly path: string | undefined }
  | { readonly kind: "find-files"; readonly glob: string; readonly path: string | undefined }
  | { readonly kind: "replace"; readonly path: string; readonly from: string; readonly to: string }
  | { readonly kind: "write"; readonly path: string; readonly text: string }
  | { readonly kind: "append"; readonly path: string; readonly text: string }
  | { readonly kind: "run"; readonly command: string }
  /** `contents`: what lies in the folder, not the folder itself. */
  | { readonly kind: "delete"; readonly path: string; readonly contents: boolean }
  | { readonly kind: "call"; readonly tool: string; readonly input: JsonValue }
  /** To one agent, whose answer is waited for; to one of several, which work side by side. */
  | { readonly kind: "ask-agent"; readonly task: string }
  | { readonly kind: "delegate"; readonly task: string }
  | { readonly kind: "help" }
  /** A message in which nobody asks for anything: a summary, or text that came from elsewhere. */
  | { readonly kind: "nothing" }
  | { readonly kind: "unknown"; readonly text: string }

/** Requests that are carried out at once. Stages follow one another. */
export type Stage = readonly Request[]

export type RequestOf<Kind extends Request["kind"]> = Extract<Request, { kind: Kind }>

/** Whether carrying it out leaves everything as it was. */
export function onlyLooks({ kind }: Request): boolean {
  return ["look", "read", "search", "find-files"].includes(kind)
}
