// Answers to requests for approval. A single key answers only if it was pressed on purpose: after a moment without input,
// and alone. Everything else that is typed goes to the draft.
import type { CommandOf } from "../../contract/commands.ts"
import { rememberedCall, type TypedAnswer } from "../../contract/rules/approval-answers.ts"
import { oneLine } from "../../contract/text/text.ts"
import { approvalChoices, grantablePattern, shownCall } from "../../display/approval-choices.ts"
import { detailsText } from "../../display/call-preview.ts"
import type { ShownCall } from "../../display/call-lines.ts"
import { DeliberateKeys } from "../../display/deliberate-keys.ts"
import { editedCall, editText } from "../../display/edit-text.ts"
import { textPager } from "../overlays/pager.ts"
import type { OpenApproval } from "../../projection/open-requests.ts"
import { draftOf, emptyDraft, wholeText } from "../state/draft.ts"
import { currentRequest, type InputQuestion, type ScreenState } from "../state/screen-state.ts"
import type { InputEvent } from "../terminal/parse-input.ts"
import { isCallShown } from "../view/screen.ts"
import { mainArgument } from "../../contract/rules/core-tools.ts"
import type { ScreenControl } from "./control.ts"

const MAX_SUMMARY = 60

export class ApprovalKeys {
  readonly #screen: ScreenControl
  readonly #type: (text: string) => void
  #keys: DeliberateKeys | undefined
  #shown: string | undefined
  /** A key that answers if no other input follows at once. */
  #candidate: string | undefined

  /** `type`: what is no answer goes to the draft. */
  constructor(screen: ScreenControl, type: (text: string) => void) {
    this.#screen = screen
    this.#type = type
  }

  /** To be called when the session has changed: the oldest request may be another one. */
  follow(): void {
    const request = approvalIn(this.#screen.state)
    if (request?.approvalId === this.#shown) return
    this.#keys?.stop()
    this.#dropCandidate()
    this.#shown = request?.approvalId
    if (request === undefined) {
      this.#keys = undefined
      if (this.#screen.state.question !== undefined) leaveQuestion(this.#screen)
      return this.#screen.update({ card: undefined })
    }
    const { approvalId } = request
    this.#screen.update({ card: { approvalId, isReady: false, edited: undefined } })
    this.#keys = new DeliberateKeys({
      ready: () => this.#setReady(true),
      ignored: () => {
        this.#dropCandidate()
        this.#setReady(false)
      },
      key: ({ name = "" }) => {
        this.#candidate = undefined
        chooseAnswer(this.#screen, name)
      },
    })
  }

  /** Whether the input may be an answer and is held back until that is clear. */
  take(event: InputEvent): boolean {
    const isInput = event.kind === "key" || event.kind === "text" || event.kind === "paste"
    if (this.#keys === undefined || !isInput) return false
    const { state } = this.#screen
    const request = approvalIn(state)
    const isFree = state.draft.text === "" && state.question === undefined && state.overlay === undefined
    const choices = request === undefined ? [] : approvalChoices(request, state.card?.edited !== undefined)
    const letter = event.kind === "text" ? event.text : ""
    const isAnswer =
      isFree &&
      state.card?.isReady === true &&
      this.#candidate === undefined &&
      choices.some(({ key }) => key === letter) &&
      isCallShown(state, this.#screen.size)
    this.#keys.take({ name: isAnswer ? letter : undefined, ctrl: false })
    if (isAnswer) this.#candidate = letter
    return isAnswer
  }

  close(): void {
    this.#keys?.stop()
  }

  #setReady(isReady: boolean): void {
    const { card } = this.#screen.state
    if (card !== undefined) this.#screen.update({ card: { ...card, isReady } })
  }

  #dropCandidate(): void {
    const letter = this.#candidate
    this.#candidate = undefined
    if (letter !== undefined) this.#type(letter)
  }
}

/** The other open requests, one after the other. */
export function showNextRequest(screen: ScreenControl): void {
  const open = screen.state.session?.requests.approvals ?? []
  const current = currentRequest(screen.state)
  const next = open[(open.findIndex((one) => one === current) + 1) % open.length]
  if (next === undefined) return screen.notify("info", "No request is pending.")
  screen.update({ chosenRequest: next.approvalId })
  screen.followRequests()
}

/** The request that is shown, unless it is a question: that is answered with text. */
export function approvalIn(state: ScreenState): OpenApproval | undefined {
  const request = currentRequest(state)
  return request?.questions === undefined ? request : undefined
}

function chooseAnswer(screen: ScreenControl, key: string): void {
  const request = approvalIn(screen.state)
  if (request === undefined) return
  switch (key) {
    case "y":
      return answerCard(screen, request, "approve")
    case "a":
      return remember(screen, request, "session")
    case "f":
      return remember(screen, request, "folder")
    case "t":
      return rememberCall(screen, request)
    case "n":
      return askReason(screen, request)
    case "e":
      return editCard(screen, request)
    default:
      return showDetails(screen, request)
  }
}

export function answerCard(screen: ScreenControl, request: OpenApproval, answer: TypedAnswer["command"]): void {
  if (answer === "always") return remember(screen, request, "session")
  const input = screen.state.card?.edited
  const isApproved = answer === "approve"
  decide(screen, request, { approved: isApproved, ...(isApproved && input !== undefined ? { input } : {}) })
}

function remember(screen: ScreenControl, request: OpenApproval, scope: "session" | "folder"): void {
  const pattern = grantablePattern(request)
  if (pattern === undefined) return screen.notify("info", "This call can only be approved once: y or n.")
  decide(screen, request, { approved: true, remember: { pattern, scope } })
}

function rememberCall(screen: ScreenControl, request: OpenApproval): void {
  const exact = rememberedCall(request.tool, request.input)
  if (exact === undefined) return screen.notify("info", "This call can only be approved once: y or n.")
  decide(screen, request, { approved: true, remember: exact })
}

export function answerQuestion(screen: ScreenControl, request: OpenApproval, answer: string): void {
  decide(screen, request, { approved: true, answer })
}

function decide(
  screen: ScreenControl,
  { approvalId, digest }: OpenApproval,
  answer: Omit<CommandOf<"approve">, "type" | "approvalId" | "digest">,
): void {
  screen.start(async () => {
    await screen.send({ type: "approve", approvalId, digest, ...answer })
  })
}

function callOf({ state: { card } }: ScreenControl, request: OpenApproval): ShownCall {
  return shownCall(request, card?.edited)
}

function askReason(screen: ScreenControl, request: OpenApproval): void {
  const { tool, input } = callOf(screen, request)
  const what = oneLine(`${tool} ${mainArgument(tool, input)}`, MAX_SUMMARY)
  ask(
    screen,
    {
      kind: "deny",
      approvalId: request.approvalId,
      label: `No: ${what}. Why? The agent reads it. (enter: no reason, esc: back)`,
    },
    "",
  )
}

function editCard(screen: ScreenControl, request: OpenApproval): void {
  const text = editText(callOf(screen, request))
  if (text.kind === "problem") return screen.notify("warning", text.message)
  const label = `Change the ${text.kind} (enter: look at it again, esc: back)`
  ask(screen, { kind: "edit", approvalId: request.approvalId, label }, text.text.trimEnd())
}

function ask(screen: ScreenControl, question: Omit<InputQuestion, "before">, text: string): void {
  screen.update({ question: { ...question, before: screen.state.draft }, draft: draftOf(text), completion: undefined })
}

export function leaveQuestion(screen: ScreenControl): void {
  screen.update({ question: undefined, draft: screen.state.question?.before ?? emptyDraft })
}

/** Enter in the box that asks for a reason or shows the call. */
export function finishQuestion(screen: ScreenControl): void {
  const { question, draft, card } = screen.state
  const request = approvalIn(screen.state)
  const text = wholeText(draft)
  leaveQuestion(screen)
  if (question === undefined || request?.approvalId !== question.approvalId)
    return screen.notify("info", "The request was answered by another client.")
  if (question.kind === "deny")
    return decide(screen, request, { approved: false, ...(text.trim() === "" ? {} : { note: text.trim() }) })
  const edited = editedCall(callOf(screen, request), text)
  if (edited.kind === "problem") return screen.notify("warning", edited.message)
  if (edited.kind === "changed" && card !== undefined) screen.update({ card: { ...card, edited: edited.input } })
}

function showDetails(screen: ScreenControl, request: OpenApproval): void {
  const { tool, reason, approvalId } = request
  const text = `${reason}\n\n${tool}\n${detailsText(callOf(screen, request))}`
  screen.update({ overlay: textPager(approvalId, text) })
}
