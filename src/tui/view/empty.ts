// What an empty conversation shows: that the session is not in the window, and how to begin.
import { cutToWidth, plain, type Line } from "../../display/spans.ts"
import { safe } from "../../display/safe-text.ts"
import { shownFolder } from "../../display/format.ts"
import type { ScreenState } from "../state/screen-state.ts"
import { indentedLine, textWidth, wrapped } from "./layout.ts"

const MODEL_OF_RULES = "offline/demo"
/** What the demo understands: a call that only reads, and one that has to be approved. */
const EXAMPLES = ["what is in this folder", "write hello to notes.txt", "run `git status`", "help"]

export function emptyLines({ session, facts }: ScreenState, width: number): readonly Line[] {
  if (session === undefined || session.hasEarlier || session.transcript.items.length > 0) return []
  const { cwd, model } = session.status
  const inner = textWidth(width)
  const about = wrapped("The session runs outside of this window: close it, and the work goes on.", inner, ["muted"])
  const folder: Line = [plain(cutToWidth(safe(`New session in ${shownFolder(cwd, facts.userHome)}`), inner))]
  const isDemo = model === MODEL_OF_RULES || model.startsWith(`${MODEL_OF_RULES}:`)
  return [[], folder, ...about, ...(isDemo ? exampleLines(inner) : [])].map(indentedLine)
}

function exampleLines(width: number): readonly Line[] {
  const lead = wrapped("This model is the demo: fixed rules, real tools. Try one of these:", width, ["muted"])
  return [[], ...lead, ...EXAMPLES.map((text): Line => [plain(cutToWidth(`  ${text}`, width))])]
}
