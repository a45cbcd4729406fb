// Prints a live session for an attached client: its turns, and prompts and decisions of other clients. Written to stdout,
// so that a pipe gets the conversation; presence goes to stderr.
import { principalName } from "../../contract/rules/approval-answers.ts"
import type { EventOf, Recorded, SessionEvent } from "../../contract/events.ts"
import type { WatchItem } from "../../contract/host-port.ts"
import type { PromptId } from "../../contract/ids.ts"
import type { By } from "../../contract/values.ts"
import { emptyTranscript, foldTranscript, type Transcript, type TranscriptItem } from "../../projection/transcript.ts"
import type { SlashResult } from "../../slash-commands/resolve.ts"
import { formatRequest } from "../run/approval-prompt.ts"
import type { OpenApproval } from "../../projection/open-requests.ts"
import type { SessionView } from "../../app/sessions/session-view.ts"
import { TurnPrinter } from "../print/turn-printer.ts"
import type { TurnOutput } from "../print/turn-output.ts"
import { oneLine, printable } from "../../contract/text/text.ts"
import { printNotice, styled } from "../../app/terminal.ts"
import { transcriptText } from "../transcript-text.ts"

const MAX_SUMMARY_LENGTH = 120

export class LivePrinter {
  readonly #view: SessionView
  readonly #turn: TurnPrinter
  /** How this client answers a request. */
  readonly #howToAnswer: (request: OpenApproval) => string
  /** Admitted prompts that are not delivered yet, as transcript entries. */
  readonly #waiting: Transcript
  /** Prompts that were typed here, so the terminal shows them already. */
  readonly #typed = new Set<PromptId>()
  readonly #announced = new Set<string>()
  #presence = ""

  constructor(
    view: SessionView,
    output: TurnOutput,
    shown: readonly TranscriptItem[],
    howToAnswer: (request: OpenApproval) => string,
  ) {
    this.#view = view
    this.#turn = new TurnPrinter(view, output)
    this.#howToAnswer = howToAnswer
    const waiting = shown.filter((item) => item.kind === "user" && item.state === "waiting")
    this.#waiting = { ...emptyTranscript(), items: waiting }
  }

  typed(promptId: PromptId): void {
    this.#typed.add(promptId)
  }

  /** To be called after the view is updated. */
  show(item: WatchItem): void {
    if (item.kind === "delta" && item.delta.type === "presence.changed")
      return this.presence(item.delta.watching, item.delta.who)
    if (item.kind === "delta" && item.delta.type === "host.warned")
      return this.#turn.notice("yellow", item.delta.message)
    this.#turn.show(item)
    if (item.kind === "event") this.#event(item.recorded)
  }

  presence(watching: number, clients: readonly By[]): void {
    const more = watching > clients.length ? ", …" : ""
    const each = clients.map(({ principal, door }) => `${oneLine(principal, 60)} (${oneLine(door, 20)})`)
    const names = each.toSorted().join(", ")
    if (names === this.#presence || watching === 0) return
    this.#presence = names
    printNotice(styled("dim", `${watching} watching: ${names}${more}`))
  }

  /** The result of a slash command. A prompt that it sends is shown when it is delivered. */
  ran({ output, action_taken: action }: SlashResult): void {
    if (action === "message_added") return
    this.#turn.endLine()
    process.stdout.write(`${printable(output ?? action?.replaceAll("_", " ") ?? "done").trimEnd()}\n`)
  }

  /** Each request once. */
  ask(request: OpenApproval): void {
    if (this.#announced.has(request.approvalId)) return
    this.#announced.add(request.approvalId)
    const start = request.questions === undefined ? "Approve" : "Question"
    this.#turn.notice("yellow", `${start} ${request.approvalId}: ${formatRequest(request, this.#view.sessionId)}`)
    this.#turn.notice("dim", this.#howToAnswer(request))
  }

  #event(recorded: Recorded): void {
    const { event } = recorded
    if (event.type === "turn.ended") this.#turn.sum()
    if (event.type === "prompt.admitted" || event.type === "prompt.promoted" || event.type === "prompt.withdrawn")
      this.#prompt(recorded, event)
    if (event.type === "approval.requested" || event.type === "child.asked") {
      const request = this.#view.request(event.approvalId)
      if (request !== undefined) this.ask(request)
    }
    const text = eventLine(event)
    if (text !== undefined) this.#turn.notice("dim", text)
  }

  /** A prompt is shown when it is delivered; one that waits is announced. */
  #prompt(recorded: Recorded, event: EventOf<"prompt.admitted" | "prompt.promoted" | "prompt.withdrawn">): void {
    foldTranscript(this.#waiting, recorded)
    if (event.type === "prompt.withdrawn")
      return this.#turn.notice("yellow", `prompt withdrawn: ${oneLine(event.reason, MAX_SUMMARY_LENGTH)}`)
    if (event.type === "prompt.admitted") return this.#waits(event)
    const at = this.#waiting.items.findLastIndex((item) => item.kind === "user" && item.promptId === event.promptId)
    const [delivered] = at < 0 ? [] : this.#waiting.items.splice(at, 1)
    if (delivered === undefined || this.#typed.delete(event.promptId)) return
    this.#turn.endLine()
    process.stdout.write(`\n${transcriptText([delivered])}\n`)
  }

  #waits({ by, text }: EventOf<"prompt.admitted">): void {
    if (this.#view.state.turn === undefined) return // delivered at once
    this.#turn.notice("dim", `queued prompt from ${oneLine(by.principal, 60)}: ${oneLine(text, MAX_SUMMARY_LENGTH)}`)
  }
}

/** One line for other events. */
function eventLine(event: SessionEvent): string | undefined {
  switch (event.type) {
    case "approval.decided":
    case "child.answered":
      return decisionLine(event)
    case "child.spawned":
      return `agent ${event.childId} started${event.task === undefined ? "" : `: ${oneLine(event.task, MAX_SUMMARY_LENGTH)}`}`
    case "child.ended":
      return `agent ${event.childId} ${event.outcome}: ${oneLine(event.result, MAX_SUMMARY_LENGTH)}`
    case "model.selected":
      return `model changed to ${event.model}`
    case "thinking.selected":
      return `thinking changed to ${event.level ?? "default"}`
    case "session.renamed":
      return `session renamed to '${event.name}'`
    case "session.hibernated":
      return "session suspended"
    case "session.woken":
      return "session resumed"
    case "session.ended":
      return "session ended"
    default:
      return undefined
  }
}

function decisionLine({ approvalId, outcome, by, answer }: EventOf<"approval.decided" | "child.answered">): string {
  const who = by === undefined ? "" : ` by ${principalName(by.principal)}`
  if (answer === undefined) return `${approvalId} ${outcome}${who}`
  return `${approvalId} answered${who}: ${oneLine(answer, MAX_SUMMARY_LENGTH)}`
}
