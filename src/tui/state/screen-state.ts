// Everything that the screen shows: the session, and the small state of this window.
import type { ApprovalId, SessionId } from "../../contract/ids.ts"
import type { JsonValue } from "../../contract/values.ts"
import type { OpenApproval } from "../../projection/open-requests.ts"
import type { ImageBook } from "../images/image-store.ts"
import type { SessionModel } from "../../clients/session/session-model.ts"
import type { Overlay } from "../overlays/overlay.ts"
import type { Anchor } from "../view/window.ts"
import type { Completion } from "./completion.ts"
import { emptyDraft, type Draft } from "./draft.ts"

/** The door of this client. */
export const OWN_DOOR = "terminal"

export interface ScreenState {
  /** Absent while it is opened. */
  readonly session: SessionModel | undefined
  readonly facts: Facts
  readonly link: LinkState
  readonly draft: Draft
  readonly completion: Completion | undefined
  readonly question: InputQuestion | undefined
  readonly card: CardState | undefined
  /** The request that the user went to; absent: the oldest. */
  readonly chosenRequest: ApprovalId | undefined
  /** Absent at the newest line. */
  readonly scroll: Anchor | undefined
  readonly isExpanded: boolean
  /** The item of the transcript that keys act on. */
  readonly focus: string | undefined
  /** Items that are folded while others are not, or the other way round. */
  readonly toggled: ReadonlySet<string>
  /** An image is being read; the prompt waits for it. */
  readonly isAttaching: boolean
  readonly overlay: Overlay | undefined
  readonly notice: Notice | undefined
  /** Output of `!command`, which goes with the next prompt. */
  readonly shell: ShellRun | undefined
  readonly hasColour: boolean
  /** Absent where the terminal cannot draw images, or has not said so yet. */
  readonly images: ImageBook | undefined
  readonly now: number
}

/** What is known about this client and the folder of the session. */
export interface Facts {
  readonly user: string
  /** Shown as `~`. */
  readonly userHome: string
  /** The other machine on which the session runs. */
  readonly remote?: string | undefined
  readonly branch: string | undefined
  /** How full the context window is, from 0 to 1. */
  readonly contextShare: number | undefined
  /** The kind of the host that has the session. */
  readonly host: string | undefined
}

export type LinkState =
  | { readonly kind: "opening" }
  | { readonly kind: "live" }
  | { readonly kind: "lost"; readonly since: number }
  /** It cannot be followed any longer, and what is shown does not change. */
  | { readonly kind: "ended" }

/** The input box asks for something else than a prompt. */
export interface InputQuestion {
  readonly kind: "deny" | "edit"
  readonly approvalId: ApprovalId
  readonly label: string
  /** The draft of the prompt, to return to. */
  readonly before: Draft
}

/** The request that the window shows, of all that are open. */
export function currentRequest({
  session,
  chosenRequest,
}: Pick<ScreenState, "session" | "chosenRequest">): OpenApproval | undefined {
  const open = session?.requests.approvals ?? []
  return open.find(({ approvalId }) => approvalId === chosenRequest) ?? open[0]
}

/** The request for approval that is shown, as this window shows it. */
export interface CardState {
  readonly approvalId: ApprovalId
  /** Keys count only after a moment without input. */
  readonly isReady: boolean
  /** The arguments, if the user has changed them. */
  readonly edited: JsonValue | undefined
}

export interface Notice {
  readonly tone: "info" | "warning" | "danger"
  readonly text: string
}

export interface ShellRun {
  readonly command: string
  readonly output: string
  readonly isRunning: boolean
  readonly sessionId: SessionId
  readonly stop?: () => void
}

export function initialState(
  facts: Pick<Facts, "user" | "userHome" | "remote">,
  hasColour: boolean,
  now: number,
): ScreenState {
  return {
    session: undefined,
    facts: { ...facts, branch: undefined, contextShare: undefined, host: undefined },
    link: { kind: "opening" },
    draft: emptyDraft,
    completion: undefined,
    question: undefined,
    card: undefined,
    chosenRequest: undefined,
    scroll: undefined,
    isExpanded: false,
    focus: undefined,
    toggled: new Set(),
    isAttaching: false,
    overlay: undefined,
    notice: undefined,
    shell: undefined,
    hasColour,
    images: undefined,
    now,
  }
}
