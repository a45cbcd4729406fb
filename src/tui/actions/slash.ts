// Slash commands: those of the screen itself, and those of the session.
import { runTyped } from "../../slash-commands/run-typed.ts"
import type { LineCommand } from "../../slash-commands/typed-line.ts"
import { slashCatalogue } from "../../slash-commands/table.ts"
import { textPager } from "../overlays/pager.ts"
import type { CompletionChoice } from "../state/completion.ts"
import { currentRequest } from "../state/screen-state.ts"
import { answerCard } from "./approval.ts"
import type { ScreenControl } from "./control.ts"
import { chooseModel } from "./choices.ts"
import { detach, showHelp } from "./session.ts"
import { findApproval } from "../../projection/open-requests.ts"

/** Longer output is shown on a page of its own. */
const MAX_NOTICE = 200

type SlashLine = Extract<LineCommand, { kind: "slash" }>

export function runSlashCommand(screen: ScreenControl, line: SlashLine): void {
  if (line.name === "model" && line.args.length === 0) return chooseModel(screen)
  const { place, link } = screen
  const { session } = screen.state
  if (link === undefined || session === undefined) return
  screen.start(async () => {
    const result = await runTyped(line, {
      port: place.port,
      sessionId: session.sessionId,
      requests: session.requests.approvals,
      caller: place.caller,
      newSessionId: place.newSessionId,
      now: Date.now,
      send: (command) => link.send(command),
      prompt: (text) => link.send({ type: "prompt", promptId: place.newPromptId(), text, ifBusy: "steer" }),
    })
    if (!result.success) return screen.notify("warning", result.error ?? `/${line.name} failed`)
    if (result.action_taken !== "message_added") show(screen, line.name, result.output ?? doneText(result.action_taken))
  })
}

function doneText(action = "done"): string {
  return action.replaceAll("_", " ")
}

function show(screen: ScreenControl, name: string, output: string): void {
  const text = output.trimEnd()
  if (text.length <= MAX_NOTICE && !text.includes("\n")) return screen.notify("info", text)
  screen.update({ overlay: textPager(`/${name}`, text) })
}

/** Commands that this client runs itself. */
export function runOwnCommand(
  screen: ScreenControl,
  line: Exclude<LineCommand, SlashLine | { kind: "prompt" | "nothing" }>,
): void {
  switch (line.kind) {
    case "stop":
      return screen.start(async () => void (await screen.send({ type: "interrupt" })))
    case "quit":
      return detach(screen)
    case "help":
      return showHelp(screen)
    case "answer": {
      const { session } = screen.state
      const requests = session?.requests.approvals ?? []
      const request =
        line.idPrefix === undefined
          ? currentRequest(screen.state)
          : requests.find(({ approvalId }) => approvalId.includes(line.idPrefix ?? ""))
      if (session === undefined || request === undefined)
        return screen.notify("info", "No approval request is pending.")
      return findApproval(session.requests, request.approvalId) === undefined
        ? undefined
        : answerCard(screen, request, line.command)
    }
    case "unknown":
      return screen.notify(
        "warning",
        `Unknown command '${line.word}'. / lists the commands; // sends a prompt that begins with a slash.`,
      )
  }
}

/** For completion: commands of Turnhouse; those of the folder, the user and extensions follow. */
export function builtInCommands(): readonly CompletionChoice[] {
  const own = [
    { text: "/quit", detail: "leave; the session goes on" },
    { text: "/stop", detail: "interrupt the turn" },
  ]
  const others = slashCatalogue.groups.flatMap(({ commands }) => commands)
  const hidden = new Set(["exit"])
  return [
    ...others.flatMap(({ name, help, usage = "" }) =>
      hidden.has(name) ? [] : [{ text: `/${name}`, detail: `${usage === "" ? "" : `${usage}  `}${help}` }],
    ),
    ...own,
  ]
}
