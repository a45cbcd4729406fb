// What a page can set and hear: the types of the package and of the documentation. Imports no code.
import type { AuthContext } from "turnhouse/client"

export interface WidgetOptions {
  /** The agent that answers. */
  readonly agent: string
  /** Address of the server. Default: where the script came from. */
  readonly server?: string | undefined
  /** Default: the name of the agent. */
  readonly title?: string | undefined
  /** Shown before the first message. */
  readonly greeting?: string | undefined
  /** The corner of the window, or `inline`: the element is a part of the page. Default: `end`. */
  readonly position?: Position | undefined
  /** Default: `auto`, as the visitor's system. */
  readonly theme?: Theme | undefined
  /** A CSS colour for the visitor's messages and the main buttons. */
  readonly accent?: string | undefined
  /** Language of the widget's own texts: `en`, `de`, `fr`, `es`. Default: that of the page. */
  readonly language?: string | undefined
  /** In place of the widget's own texts. */
  readonly texts?: Partial<WidgetTexts> | undefined
  /** Where the conversation is remembered: for good, until the tab is closed, or not at all. Default: `local`. */
  readonly storage?: Storage | undefined
  readonly userName?: string | undefined
  readonly userEmail?: string | undefined
  /** A token of the visitor; a function is called for every connection. */
  readonly token?: string | (() => string | undefined | Promise<string | undefined>) | undefined
  /** The signature of the site's server for the visitor; a function is called for every connection. */
  readonly authContext?: AuthContext | (() => AuthContext | undefined | Promise<AuthContext | undefined>) | undefined
}

export type Position = "end" | "start" | "inline"
export type Theme = "auto" | "light" | "dark"
export type Storage = "local" | "session" | "none"

/** Events of the element, by name. They bubble, and reach the page through shadow roots. */
export interface WidgetEvents {
  readonly "turnhouse-open": undefined
  readonly "turnhouse-close": undefined
  readonly "turnhouse-message": { readonly from: "visitor" | "agent"; readonly text: string }
  /** The agent asked a person of your staff to help. */
  readonly "turnhouse-escalation": { readonly reason: string }
  /** A tool's instruction for the page. It comes from the agent: check it as any outside input. */
  readonly "turnhouse-directive": unknown
  /** For the developer of the page; the visitor reads a sentence in the chat. */
  readonly "turnhouse-problem": { readonly code: string; readonly message: string }
}

type EventMap = { readonly [Name in keyof WidgetEvents]: CustomEvent<WidgetEvents[Name]> }

declare global {
  interface HTMLElementEventMap extends EventMap {}
}

/** `{…}` is replaced when the text is shown. */
export interface WidgetTexts {
  readonly open: string
  readonly openUnread: string
  readonly close: string
  readonly startOver: string
  readonly title: string
  readonly message: string
  readonly placeholder: string
  readonly send: string
  readonly stop: string
  readonly you: string
  readonly earlier: string
  readonly connecting: string
  readonly offline: string
  readonly online: string
  readonly unavailable: string
  readonly signedOut: string
  readonly retry: string
  readonly working: string
  readonly waitingForStaff: string
  readonly lookingUp: string
  readonly sources: string
  readonly source: string
  readonly openPage: string
  readonly suggestions: string
  readonly confirmTitle: string
  readonly confirm: string
  readonly reject: string
  readonly confirmed: string
  readonly rejected: string
  readonly answered: string
  readonly formTitle: string
  readonly choiceTitle: string
  readonly name: string
  readonly email: string
  readonly phone: string
  readonly optional: string
  readonly submit: string
  readonly notNow: string
  readonly declined: string
  readonly submitted: string
  readonly other: string
  readonly fieldRequired: string
  readonly badEmail: string
  readonly badPhone: string
  readonly chooseOne: string
  readonly fixFields: string
  readonly codeTitle: string
  readonly codeSent: string
  readonly codeNeeded: string
  readonly codeNotSent: string
  readonly code: string
  readonly verify: string
  readonly verified: string
  readonly wrongCode: string
  readonly codeOver: string
  readonly askAgain: string
  readonly escalated: string
  readonly cancelled: string
  readonly failed: string
  readonly notSent: string
  readonly lost: string
  readonly busy: string
  readonly tooLong: string
  readonly tryAgain: string
}
