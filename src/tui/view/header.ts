// The first line of the screen: where the agent works, what it works on, and with which model.
import { oneLine } from "../../contract/text/text.ts"
import { safe } from "../../display/safe-text.ts"
import { columnsOf, cutToWidth, plain, type Line, type Span } from "../../display/spans.ts"
import type { SessionModel } from "../../clients/session/session-model.ts"
import type { ScreenState } from "../state/screen-state.ts"

const NAME = "turnhouse"
const MIN_GAP = 2
const MAX_PART = 200

export function headerLine({ session, facts }: ScreenState, width: number): Line {
  const inner = Math.max(0, width - 2)
  const right = session === undefined ? "" : cutToWidth(modelText(session), Math.floor(inner / 2))
  const mode: readonly Span[] = session?.status.planMode === true ? [{ text: "plan mode", styles: ["bold"] }] : []
  const modeWidth = mode.reduce((sum, { text }) => sum + columnsOf(text) + MIN_GAP, 0)
  const room = inner - columnsOf(right) - modeWidth - (right === "" ? 0 : MIN_GAP)
  const title = columnsOf(NAME) + MIN_GAP <= room ? `${NAME}  ` : ""
  const place = cutToWidth(session === undefined ? "" : placeText(session, facts.branch), room - columnsOf(title))
  const gap = Math.max(0, inner - columnsOf(title) - columnsOf(place) - modeWidth - columnsOf(right))
  return [
    plain(" "),
    { text: title, styles: ["bold"] },
    plain(place),
    plain(" ".repeat(gap)),
    ...mode,
    ...(mode.length === 0 ? [] : [plain(" ".repeat(MIN_GAP))]),
    { text: right, styles: ["muted"] },
  ]
}

function placeText({ status }: SessionModel, branch: string | undefined): string {
  const folder = status.cwd.split("/").findLast((part) => part !== "") ?? "/"
  const title = status.name ?? status.title
  const parts = [folder, branch, title].filter((part) => part !== undefined && part !== "")
  return parts.map((part) => safe(oneLine(part ?? "", MAX_PART))).join(" · ")
}

/** Without the provider: the name of the model says enough. */
function modelText({ status, toolMode }: SessionModel): string {
  const model = status.model.slice(status.model.indexOf("/") + 1)
  const tools =
    toolMode === "Smart" ? [] : [typeof toolMode === "string" ? `tools ${toolMode.toLowerCase()}` : "some tools"]
  return [model, ...(status.thinking === undefined ? [] : [status.thinking]), ...tools]
    .map((part) => safe(oneLine(part, MAX_PART)))
    .join(" · ")
}
