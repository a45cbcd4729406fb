// Lists to choose from: model, thinking level, tools, and the prompt to go back to.
import { DEFAULT_THINKING, thinkingLevels } from "../../contract/rules/thinking.ts"
import { describeRefusal } from "../../contract/text/describe-refusal.ts"
import { oneLine } from "../../contract/text/text.ts"
import { ago, counted } from "../../display/format.ts"
import { listOverlay, type ListItem } from "../overlays/list.ts"
import type { UserEntry } from "../../projection/transcript.ts"
import { draftOfPrompt, type Draft } from "../state/draft.ts"
import type { ScreenControl } from "./control.ts"

export function chooseModel(screen: ScreenControl): void {
  const current = screen.state.session?.status.model
  screen.start(async () => {
    const models = await screen.place.port.query({ type: "models" })
    if (models.kind === "refused") return screen.notify("warning", describeRefusal(models.refusal))
    const items = models.value.map(({ provider, id, name, contextWindow, prices }) => {
      const full = id.startsWith(`${provider}/`) ? id : `${provider}/${id}`
      const window = contextWindow === undefined ? "" : `${Math.round(contextWindow / 1000)}k`
      const price = prices === undefined ? "" : `$${prices.input} / $${prices.output}`
      return { label: full, searched: name, detail: [window, price].filter((part) => part !== "").join("  ") }
    })
    const selected = Math.max(
      0,
      items.findIndex(({ label }) => label === current),
    )
    const choose = ({ label: model }: ListItem) => send(screen, { type: "select-model", model })
    screen.update({
      overlay: listOverlay({
        title: "model",
        items,
        selected,
        choose,
        none: "No model. 'turnhouse setup' adds a provider.",
      }),
    })
  })
}

export function chooseThinking(screen: ScreenControl): void {
  const current = screen.state.session?.status.thinking ?? DEFAULT_THINKING
  const items = [DEFAULT_THINKING, ...thinkingLevels].map((label) => ({ label }))
  const choose = ({ label }: ListItem) => {
    const level = thinkingLevels.find((one) => one === label)
    send(screen, level === undefined ? { type: "select-thinking" } : { type: "select-thinking", level })
  }
  const selected = items.findIndex(({ label }) => label === current)
  screen.update({ overlay: listOverlay({ title: "thinking", items, selected, choose, none: "No such level." }) })
}

const toolModes = [
  { label: "Full", mode: "Full", detail: "all tools" },
  { label: "Smart", mode: "Smart", detail: "tools that fit the prompt" },
  { label: "Core", mode: "Core", detail: "files and commands" },
  { label: "None", mode: "None", detail: "only the conversation" },
] as const

export function chooseTools(screen: ScreenControl): void {
  const current = screen.state.session?.toolMode
  const selected = Math.max(
    0,
    toolModes.findIndex(({ mode }) => mode === current),
  )
  const choose = ({ mode }: (typeof toolModes)[number]) => send(screen, { type: "select-tools", mode })
  screen.update({ overlay: listOverlay({ title: "tools", items: toolModes, selected, choose, none: "No such mode." }) })
}

/** Prompts of this conversation, the newest first. */
export function chooseRewind(screen: ScreenControl): void {
  const { session, now } = screen.state
  const planId = session?.transcript.planId
  const prompts = (session?.transcript.items ?? []).filter(
    (item): item is UserEntry => item.kind === "user" && item.state === "promoted" && item.planId === planId,
  )
  const starts = prompts.filter(({ turnId }, at) => turnId === undefined || turnId !== prompts[at - 1]?.turnId)
  const items = starts.toReversed().map(({ text, at, attachments }, index) => ({
    label: oneLine(text, 500),
    detail: ago(now - at),
    draft: draftOfPrompt(text, attachments),
    turns: index + 1,
  }))
  const choose = ({ draft, turns }: (typeof items)[number], key: string) =>
    goBack(screen, draft, turns, key === "ctrl-f")
  screen.update({
    overlay: listOverlay({
      title: "go back to before a prompt",
      items,
      choose,
      keys: { "ctrl-f": "also undo file changes" },
      none: "Nothing to go back to.",
    }),
  })
}

/** The prompt returns to the input, to be sent in another form. */
function goBack(screen: ScreenControl, draft: Draft, turns: number, withFiles: boolean): void {
  screen.start(async () => {
    const isDone = await screen.send({ type: withFiles ? "undo" : "rewind", turns })
    if (!isDone) return
    screen.update({ draft, scroll: undefined })
    screen.notify(
      "info",
      `Went back ${counted(turns, "turn")}${withFiles ? ", files included" : "; files stay"}. The log keeps everything.`,
    )
  })
}

function send(screen: ScreenControl, command: Parameters<ScreenControl["send"]>[0]): void {
  screen.start(async () => void (await screen.send(command)))
}
