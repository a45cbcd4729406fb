// The last line of the screen: what happens now, what it costs, who else is here. Parts that do not fit are left out.
import { oneLine } from "../../contract/text/text.ts"
import { costText } from "../../display/format.ts"
import { columnsOf, cutToWidth, plain, type Line, type Span } from "../../display/spans.ts"
import { clock } from "../../display/time-text.ts"
import type { SessionStatus } from "../../projection/status.ts"
import { activitySpan as activitySpanOf } from "../../display/activity-span.ts"
import type { SessionModel } from "../../clients/session/session-model.ts"
import { OWN_DOOR, type ScreenState } from "../state/screen-state.ts"
import { safe } from "../../display/safe-text.ts"

interface Part {
  readonly span: Span
  /** Used in its place before anything is left out. */
  readonly short?: string
  /** The lowest is left out last. */
  readonly rank: number
}

const SEPARATOR = " · "
const BAR_WIDTH = 10
const MAX_NAME = 30
const MAX_NAMES = 3
/** Share of the budget from which the cost is a warning. */
const CLOSE_TO_LIMIT = 0.9
const MAX_REMOTE = 60

export function statusLine(state: ScreenState, width: number): Line {
  const parts = fitting(partsOf(state), width - 2)
  const line = parts.flatMap(({ span }, at): Line => (at === 0 ? [span] : [muted(SEPARATOR), span]))
  return [plain(" "), ...line]
}

function partsOf(state: ScreenState): readonly Part[] {
  const { session, facts, overlay } = state
  const help: Part = { span: muted("? help"), rank: 1 }
  if (session === undefined)
    return [{ span: muted(overlay === undefined ? "opening the session" : "no session is open"), rank: 0 }, help]
  const others = session.requests.approvals.length - 1
  return [
    { span: activitySpan(state, session), rank: 0 },
    ...(others > 0 ? [{ span: plain(`${others} more`), rank: 1 }] : []),
    ...costPart(session.status),
    ...(facts.contextShare === undefined ? [] : [contextPart(facts.contextShare)]),
    ...(facts.remote === undefined ? [] : [{ span: muted(safe(oneLine(facts.remote, MAX_REMOTE))), rank: 1 }]),
    ...(session.status.children > 0 ? [{ span: muted(agentsText(session.status.children)), rank: 5 }] : []),
    ...(session.viewers.watching > 1 ? [{ span: muted(viewersText(session, facts.user)), rank: 3 }] : []),
    ...(facts.host === undefined ? [] : [{ span: muted(hostText(facts.host)), rank: 6 }]),
    help,
  ]
}

/** Spent, and the limit where there is one. */
function costPart({ usage, budget }: SessionStatus): readonly Part[] {
  const cost = costText(usage.total)
  if (budget?.usd === undefined) return cost === "" ? [] : [{ span: plain(cost), rank: 2 }]
  const spent = cost === "" ? "$0.00" : cost
  const isClose = usage.total.usd >= CLOSE_TO_LIMIT * budget.usd
  const text = `${spent} of $${budget.usd.toFixed(2)}`
  return [{ span: isClose ? { text, styles: ["warning"] } : plain(text), short: spent, rank: 2 }]
}

/** The host that works on when the window is closed has its own name. */
function hostText(role: string): string {
  return role === "host" ? "background host" : `host: ${safe(oneLine(role, 20))}`
}

function activitySpan({ link, now }: ScreenState, session: SessionModel): Span {
  if (link.kind === "lost") return { text: `reconnecting ${clock(now - link.since)}`, styles: ["warning"] }
  if (link.kind === "ended") return { text: "disconnected", styles: ["danger"] }
  return activitySpanOf(session, now)
}

function contextPart(share: number): Part {
  const percent = Math.max(0, Math.min(100, Math.round(share * 100)))
  const filled = Math.min(BAR_WIDTH, Math.ceil((percent / 100) * BAR_WIDTH))
  const text = `context ${"▓".repeat(filled)}${"░".repeat(BAR_WIDTH - filled)} ${percent}%`
  return { span: { text, styles: percent >= 90 ? ["warning"] : ["muted"] }, short: `context ${percent}%`, rank: 4 }
}

function agentsText(count: number): string {
  return count === 1 ? "1 agent" : `${count} agents`
}

function viewersText({ viewers: { watching, who } }: SessionModel, user: string): string {
  const doors = [...new Set(who.map(({ principal, door }) => viewerName(principal, door, user)))]
  const names = doors.slice(0, MAX_NAMES).map((name) => safe(oneLine(name, MAX_NAME)))
  const more = doors.length > names.length ? ", …" : ""
  return `${watching} viewing (${names.join(", ")}${more})`
}

function viewerName(principal: string, door: string, user: string): string {
  if (principal !== user) return `${principal} on ${door}`
  return door === OWN_DOOR ? "you" : door
}

/** The least important part is shortened, then left out, until the others fit. */
function fitting(parts: readonly Part[], width: number): readonly Part[] {
  const total = parts.reduce((sum, { span }) => sum + columnsOf(span.text), SEPARATOR.length * (parts.length - 1))
  if (total <= width) return parts
  const [first] = parts
  if (parts.length <= 1)
    return first === undefined ? [] : [{ ...first, span: { ...first.span, text: cutToWidth(first.span.text, width) } }]
  const last = Math.max(...parts.map(({ rank }) => rank))
  const canShrink = parts.some(({ rank, short }) => rank === last && short !== undefined)
  const rest = canShrink
    ? parts.map((part) => (part.rank === last ? shortened(part) : part))
    : parts.filter(({ rank }) => rank !== last)
  return fitting(rest, width)
}

function shortened({ span, short, rank }: Part): Part {
  return { span: short === undefined ? span : { ...span, text: short }, rank }
}

function muted(text: string): Span {
  return { text, styles: ["muted"] }
}
