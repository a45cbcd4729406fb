// Commands that people type in a session, beside those of its door: what they are called and what may come of them.

export interface TypedCommand {
  readonly name: string
  readonly description: string
  /** What may follow the name. */
  readonly usage?: string | undefined
  /** Who brought it: the folder, the user, or the name of an extension. */
  readonly source: string
}

export type CommandAnswer =
  /** For people. */
  | { readonly kind: "output"; readonly text: string }
  /** To be sent like words that were typed. */
  | { readonly kind: "prompt"; readonly text: string }
  | { readonly kind: "failed"; readonly why: string }
  | { readonly kind: "unknown" }
