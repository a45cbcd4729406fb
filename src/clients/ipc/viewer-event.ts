// Events of a viewer.
import type { AgentMessage } from "../../protocols/ipc/frames.ts"

export type MessageOf<Type extends AgentMessage["type"]> = Extract<AgentMessage, { type: Type }>

export type ViewerEvent =
  | { readonly kind: "message"; readonly message: AgentMessage }
  /** The agent sent something unreadable; it was ignored. */
  | { readonly kind: "notice"; readonly what: string }
  /** The connection is lost; the next attempt follows after `delayMs`, if there is one. */
  | { readonly kind: "lost"; readonly why: string; readonly delayMs: number | undefined }
  /** Reconnected. A whole sync follows. */
  | { readonly kind: "reattached" }
  /** This reader was too slow and missed events. The viewer's state includes them. */
  | { readonly kind: "gap"; readonly missed: number }
