// Enter: what was typed is a prompt, an answer to the agent's question, a slash command, or a command for the shell.
import type { CommandOf } from "../../contract/commands.ts"
import { lateAnswerMs, typedFor } from "../../contract/rules/approval-answers.ts"
import type { Attachment } from "../../contract/values.ts"
import { describeRefusal } from "../../contract/text/describe-refusal.ts"
import { currentRequest } from "../state/screen-state.ts"
import { draftOfPrompt, emptyDraft, imagesOf, isBlank, wholeText } from "../state/draft.ts"
import { parseLine } from "../../slash-commands/typed-line.ts"
import { answerCard, answerQuestion, finishQuestion } from "./approval.ts"
import type { ScreenControl } from "./control.ts"
import { toggleFocused } from "./focus.ts"
import { runOwnCommand, runSlashCommand } from "./slash.ts"
import { runShell, shellOutput } from "./shell.ts"
import { complete } from "./writing.ts"

export function submit(screen: ScreenControl): void {
  const { state } = screen
  if (state.question !== undefined) return finishQuestion(screen)
  // Enter chooses a file; a command that is written out is run.
  const isChoosing = state.completion?.kind === "file" || (state.completion !== undefined && !isWholeCommand(screen))
  if (isChoosing) return complete(screen)
  if (isBlank(state.draft)) return toggleFocused(screen)
  if (state.isAttaching) return screen.notify("info", "The image is still being read; press enter again.")
  const text = wholeText(state.draft)
  if (state.session === undefined && isForSession(text)) return screen.submitWhenOpen()
  const images = imagesOf(state.draft)
  screen.update({ draft: emptyDraft, completion: undefined, scroll: undefined, focus: undefined })
  screen.history.add(text)
  screen.start(async () => {
    await screen.place.history.add(text)
  })
  take(screen, text, images)
}

function isWholeCommand({ state: { completion, draft } }: ScreenControl): boolean {
  return completion?.choices.some(({ text }) => text === draft.text) ?? false
}

/** Commands of the screen itself work without a session. */
function isForSession(text: string): boolean {
  return ["prompt", "slash"].includes(parseLine(text).kind)
}

function take(screen: ScreenControl, text: string, images: readonly Attachment[]): void {
  const { session } = screen.state
  const request = currentRequest(screen.state)
  const isLate = Date.now() - (session?.answeredAt ?? 0) < lateAnswerMs
  const typed = typedFor(request, text, isLate)
  if (typed?.command === "answer" && request !== undefined) return answerQuestion(screen, request, typed.text)
  if (typed !== undefined && typed.command !== "answer" && request !== undefined)
    return answerCard(screen, request, typed.command)
  if (typed !== undefined)
    return screen.notify("info", "The request was just answered; send the text again if it is a prompt.")
  if (text.startsWith("!") && text.length > 1) return runShell(screen, text.slice(1))
  const line = parseLine(text)
  switch (line.kind) {
    case "nothing":
      return
    case "prompt":
      return sendPrompt(screen, line.text, images)
    case "slash":
      return runSlashCommand(screen, line)
    default:
      return runOwnCommand(screen, line)
  }
}

/** While a turn runs it joins before the next step. A prompt that cannot be sent returns to the input. */
export function sendPrompt(screen: ScreenControl, text: string, images: readonly Attachment[] = []): void {
  const { place, link } = screen
  const { session, shell } = screen.state
  if (link === undefined || session === undefined) return screen.notify("warning", "No session is open.")
  const promptId = place.newPromptId()
  screen.start(async () => {
    const prompt = await withFiles(screen, text, images)
    const sent = await link.send({ type: "prompt", promptId, ifBusy: "steer", ...prompt })
    if (sent.kind === "accepted") return shell === undefined ? undefined : screen.update({ shell: undefined })
    screen.notify("danger", `Not sent: ${describeRefusal(sent.refusal)}`)
    if (screen.state.draft.text === "") screen.update({ draft: draftOfPrompt(text, images) })
  })
}

async function withFiles(
  screen: ScreenControl,
  text: string,
  images: readonly Attachment[],
): Promise<Pick<CommandOf<"prompt">, "text" | "attachments">> {
  const shared = shellOutput(screen.state.shell)
  const whole = shared === "" ? text : `${text}\n\n${shared}` // the title of a new session is its beginning
  const { files } = screen.place
  const folder = screen.state.session?.status.cwd
  const mentioned = folder !== undefined && text.includes("@") ? await files?.attach(text, folder) : undefined
  const { attachments: named = [], notes = [], problems = [] } = mentioned ?? {}
  if (problems.length > 0) screen.notify("warning", problems.join(" "))
  const attachments = [...images, ...named]
  return { text: [whole, ...notes].join("\n"), ...(attachments.length === 0 ? {} : { attachments }) }
}
