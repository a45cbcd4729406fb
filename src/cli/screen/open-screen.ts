// Opens the screen of the terminal on a session of this home.
import { homedir } from "node:os"
import type { AppContext } from "../../app/context.ts"
import { connectHome } from "../../app/host/home-connection.ts"
import { localCaller, newChildId, newPromptId } from "../../app/host/send-command.ts"
import { branchOf, projectFiles } from "../../app/screen/project-files.ts"
import { imageInput } from "../../app/screen/images/given-images.ts"
import { screenImages } from "../../app/screen/images/screen-images.ts"
import { openPromptHistory } from "../../app/screen/prompt-history.ts"
import { runUserShell } from "../../app/screen/user-shell.ts"
import { searchSessions } from "../../app/screen/search-sessions.ts"
import type { HomeLog } from "../../app/sessions/sessions.ts"
import { shellEnvironment } from "../../app/settings/shell-environment.ts"
import type { HostPort } from "../../contract/host-port.ts"
import { shortId } from "../../display/format.ts"
import type { LocalFiles, ScreenPlace } from "../../tui/place.ts"
import type { ScreenStart } from "../../tui/screen.ts"
import { editInEditor } from "../card/edit-call.ts"
import { screenNotifier } from "../notifier.ts"
import { showScreen } from "./show-screen.ts"
import { chosenTheme } from "./theme.ts"

export const door = "terminal"

export interface ScreenConnection {
  readonly log: HomeLog
  readonly port: HostPort
}

/** `begin` gets the connection, and returns what is shown first. */
export async function openScreen(
  context: AppContext,
  begin: (connection: ScreenConnection) => ScreenStart,
): Promise<number> {
  let onChange: Parameters<ScreenPlace["onLinkChange"]>[0] | undefined
  const connection = await connectHome(context, door, (sessionId, state) => onChange?.(sessionId, state))
  const place: ScreenPlace = {
    port: connection.port,
    caller: localCaller(door),
    env: shellEnvironment(process.env),
    userHome: homedir(),
    images: screenImages(process.env),
    givenImages: imageInput(context, process.env),
    theme: await chosenTheme(context),
    notifier: (isWatched) => screenNotifier(context.config.notify, isWatched),
    newPromptId,
    newSessionId: newChildId,
    onLinkChange: (listen) => (onChange = listen),
    history: openPromptHistory(context),
    returnCommand: (sessionId) => `turnhouse attach ${shortId(sessionId)}`,
    files: localFiles(context),
    searchTexts: (text) => searchSessions(context.home, connection.log, text),
  }
  try {
    return await showScreen(place, begin(connection), " (or turnhouse --continue)")
  } finally {
    await connection.close()
  }
}

function localFiles(context: AppContext): LocalFiles {
  return {
    list: projectFiles,
    branch: branchOf,
    attach: async (text, cwd) => {
      const { mentionedFiles } = await import("../../app/attachments/prompt-files.ts")
      return mentionedFiles(text, { home: context.home, config: context.config, cwd, isTyped: true })
    },
    edit: async (text) => {
      const edited = await editInEditor("prompt.md", text)
      if (typeof edited === "string") return { kind: "text", text: edited }
      return edited.kind === "problem" ? edited : { kind: "text", text }
    },
    runShell: runUserShell,
  }
}
