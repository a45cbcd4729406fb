// What a command that was typed in a session results in.

export type CommandAnswer =
  /** For people. */
  | { readonly kind: "output"; readonly text: string }
  /** To be sent like words that were typed. */
  | { readonly kind: "prompt"; readonly text: string }
  | { readonly kind: "failed"; readonly why: string }
  | { readonly kind: "unknown" }
