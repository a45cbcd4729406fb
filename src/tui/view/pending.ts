// What waits above the input: a request for approval or a question of the agent, and prompts that are not delivered yet.
import { askedText, serverName } from "../../contract/rules/call-requests.ts"
import { howToType } from "../../contract/rules/questions.ts"
import { oneLine } from "../../contract/text/text.ts"
import { approvalChoices, shownCall } from "../../display/approval-choices.ts"
import { cardLines, type Choice } from "../../display/card-lines.ts"
import { shownFolder } from "../../display/format.ts"
import { safe } from "../../display/safe-text.ts"
import { columnsOf, cutToWidth, plain, wrapExactly, type Line } from "../../display/spans.ts"
import type { OpenApproval } from "../../projection/open-requests.ts"
import type { UserEntry } from "../../projection/transcript.ts"
import { queuedPrompts, type SessionModel } from "../../clients/session/session-model.ts"
import { currentRequest, type ScreenState } from "../state/screen-state.ts"
import { indentedLine } from "./layout.ts"

export const TOO_SMALL = "A call waits for approval. Enlarge the window to see it."
const MAX_QUEUED = 3
const MAX_CARD_WIDTH = 100

/** The request that is shown. Undefined if there is none. */
export function requestLines(state: ScreenState, width: number, height: number): readonly Line[] | undefined {
  const { session } = state
  const request = currentRequest(state)
  if (session === undefined || request === undefined) return undefined
  const others = session.requests.approvals.length - 1
  const lines =
    request.questions === undefined
      ? cardOf(state, session, request, width, height)
      : askedLines(request, others, width, height)
  return (lines ?? [[{ text: cutToWidth(TOO_SMALL, width - 2), styles: ["accent"] }]])
    .slice(0, Math.max(1, height))
    .map(indentedLine)
}

/** Whether the card of the request fits. Without it nothing can be answered. */
export function cardFits(state: ScreenState, width: number, height: number): boolean {
  const { session } = state
  const request = currentRequest(state)
  return session !== undefined && request !== undefined && cardOf(state, session, request, width, height) !== undefined
}

function cardOf(
  { card, facts, now, draft, question }: ScreenState,
  session: SessionModel,
  request: OpenApproval,
  width: number,
  height: number,
): readonly Line[] | undefined {
  const edited = card?.edited
  const isFree = draft.text === "" && question === undefined
  const all = session.requests.approvals
  const shown = {
    call: shownCall(request, edited),
    isEdited: edited !== undefined,
    folder: safe(shownFolder(session.status.cwd, facts.userHome)),
    reason: request.reason,
    agent: request.sessionId === session.sessionId ? undefined : request.sessionId,
    place: { number: all.indexOf(request) + 1, count: all.length },
    askedAt: request.at,
    expiresAt: request.expiresAt,
    choices: isFree ? cardChoices(request, edited !== undefined, all.length - 1) : [backToAnswers],
    isReady: !isFree || card?.isReady === true,
  }
  return cardLines(shown, { columns: Math.min(MAX_CARD_WIDTH, width - 1), rows: height, now })
}

const backToAnswers: Choice = { key: "esc", label: "back to the answers" }

function cardChoices(request: OpenApproval, isEdited: boolean, others: number): readonly Choice[] {
  const next: readonly Choice[] = others > 0 ? [{ key: "alt-n", label: "next request" }] : []
  return [...approvalChoices(request, isEdited), ...next]
}

function askedLines(
  { questions = [], reason, server }: OpenApproval,
  others: number,
  width: number,
  height: number,
): readonly Line[] {
  const inner = Math.max(10, Math.min(MAX_CARD_WIDTH, width - 4))
  const title = server === undefined ? "question" : safe(`question of ${serverName(server)}`)
  const text = safe(askedText({ questions, reason, server })).split("\n")
  const next = others > 0 ? `; alt-n: ${others} more` : ""
  const wrap = (spans: Line) => wrapExactly(spans, inner)
  const body = text.flatMap((line) => wrap([plain(line)]))
  const help = wrap([
    { text: `type ${howToType(questions)} and press enter; /deny declines${next}`, styles: ["muted"] },
  ])
  const lines = cutBody(body, Math.max(1, height - 1 - help.length), wrap)
  return [
    [{ text: cutToWidth(title, inner), styles: ["accent", "bold"] }],
    ...[...lines, ...help].map((line): Line => [{ text: "│ ", styles: ["accent"] }, ...line]),
  ]
}

/** No question is left out unseen, and how to answer stays on the screen. */
function cutBody(body: readonly Line[], room: number, wrap: (line: Line) => readonly Line[]): readonly Line[] {
  if (body.length <= room) return body
  const note = (hidden: number) =>
    wrap([{ text: `${hidden} more lines: enlarge the window, or see 'turnhouse approvals'`, styles: ["accent"] }])
  const shown = Math.max(0, room - note(body.length).length)
  return [...body.slice(0, shown), ...note(body.length - shown)]
}

export function queueLines(state: ScreenState, width: number): readonly Line[] {
  const { session } = state
  if (session === undefined || !session.status.inTurn) return []
  const waiting = queuedPrompts(session)
  const hidden = waiting.length - MAX_QUEUED
  const lines = waiting.slice(-MAX_QUEUED).map((entry, at, all) => queueLine(entry, at === all.length - 1, width))
  return hidden > 0 ? [[{ text: `   +${hidden} queued`, styles: ["muted"] }], ...lines] : lines
}

function queueLine({ text }: UserEntry, isNewest: boolean, width: number): Line {
  const note = isNewest && width >= 40 ? "queued · edit with ↑" : "queued"
  const room = Math.max(0, width - columnsOf(note) - 6)
  const shown = cutToWidth(safe(oneLine(text, 1000)), room)
  const gap = " ".repeat(Math.max(1, room - columnsOf(shown) + 1))
  return [plain(` › ${shown}`), { text: `${gap}${note}`, styles: ["muted"] }]
}
