// What happens to a viewer, for whoever follows it one by one.
import type { AgentMessage } from "../../protocols/ipc/frames.ts"

export type ViewerEvent =
  | { readonly kind: "message"; readonly message: AgentMessage }
  /** The agent said something that is not understood; it was passed over. */
  | { readonly kind: "notice"; readonly what: string }
  /** The connection is gone; the next attempt to come back is made after `delayMs`, if there will be one. */
  | { readonly kind: "lost"; readonly why: string; readonly delayMs: number | undefined }
  /** The agent has taken this viewer again. What follows begins with a whole sync. */
  | { readonly kind: "reattached" }
  /** This reader was too slow: so many events are left out. The viewer's state has all that is in them. */
  | { readonly kind: "gap"; readonly missed: number }
