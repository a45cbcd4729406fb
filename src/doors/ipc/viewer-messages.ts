// What the handlers of viewer messages share.
import { limits } from "../../contract/limits.ts"
import type { ViewerMessage } from "../../protocols/ipc/frames.ts"

export type ViewerMessages = {
  [Type in ViewerMessage["type"]]: Extract<ViewerMessage, { type: Type }> & { type: Type }
}
export type MessageOf<Type extends ViewerMessage["type"]> = ViewerMessages[Type]

/** Names, reasons and descriptions are cut instead of refused. */
export function shortName(text: string): string {
  return text.slice(0, limits.nameLength).toWellFormed()
}
