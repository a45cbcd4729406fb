// Opens the screen on a session of another machine: through ssh, or at a server with a key.
import { homedir } from "node:os"
import { loadContextLeniently } from "../../app/context.ts"
import { newChildId, newPromptId } from "../../app/host/send-command.ts"
import { connectRemote, nameOf, remoteSession } from "../../app/remote/connect-remote.ts"
import type { RemoteAddress } from "../../app/remote/remote-address.ts"
import type { RemotePort } from "../../clients/house/remote-port.ts"
import { imageInput } from "../../app/screen/images/given-images.ts"
import { screenImages } from "../../app/screen/images/screen-images.ts"
import { openPromptHistory } from "../../app/screen/prompt-history.ts"
import { printNotice } from "../../app/terminal.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { Role } from "../../contract/values.ts"
import { shortId } from "../../display/format.ts"
import type { ScreenPlace } from "../../tui/place.ts"
import { door } from "./open-screen.ts"
import { screenNotifier } from "../notifier.ts"
import { showScreen } from "./show-screen.ts"
import { chosenTheme } from "./theme.ts"

type LinkListener = Parameters<ScreenPlace["onLinkChange"]>[0]

/** ssh may ask on the terminal before the screen opens. */
export async function openRemoteScreen(address: RemoteAddress): Promise<number> {
  const context = await loadContextLeniently()
  const theme = await chosenTheme(context)
  const listeners: { change?: LinkListener; problem?: (text: string) => void } = {}
  if (address.kind === "ssh") printNotice(`connecting to ${nameOf(address)} …`)
  const port = await connectRemote(address, door, {
    onChange: (sessionId, state) => listeners.change?.(sessionId, state),
    onProblem: (text) => listeners.problem?.(text),
  })
  const place: ScreenPlace = {
    port,
    caller: { principal: port.greeting?.principal ?? "", door },
    env: undefined,
    userHome: homedir(),
    images: screenImages(process.env),
    givenImages: imageInput(context, process.env),
    theme,
    notifier: (isWatched) => screenNotifier(context.config.notify, isWatched),
    newPromptId,
    newSessionId: newChildId,
    onLinkChange: (listen) => (listeners.change = listen),
    history: openPromptHistory(context),
    returnCommand: (sessionId) => returnCommand(address, sessionId),
    remote: {
      label: `on ${nameOf(address)}${missingRights(port.greeting?.roles)}`,
      onProblem: (listen) => (listeners.problem = listen),
    },
  }
  try {
    return await showScreen(place, { open: () => firstSession(port, address) })
  } finally {
    port.close()
  }
}

/** The session that the address names, the only one that a key opens, or none: then the user chooses. */
async function firstSession(port: RemotePort, address: RemoteAddress): Promise<SessionId | undefined> {
  if (address.kind === "ssh") return address.session === undefined ? undefined : remoteSession(port, address.session)
  const answered = await port.query({ type: "sessions" })
  const [only, ...others] = answered.kind === "answer" ? answered.value : []
  return others.length === 0 ? only?.sessionId : undefined
}

/** The key of an address is not printed: terminals keep what they show. */
function returnCommand(address: RemoteAddress, sessionId: SessionId): string {
  if (address.kind === "server") return "turnhouse attach with the same address"
  const { target, port } = address
  return `turnhouse attach ${port === undefined ? `${target}:` : `ssh://${target}:${port}/`}${shortId(sessionId)}`
}

function missingRights(roles: readonly Role[] | undefined): string {
  if (roles === undefined) return ""
  const [drives, approves] = [roles.includes("drive"), roles.includes("approve")]
  if (!drives && !approves) return " · read-only"
  if (drives && approves) return ""
  return drives ? " · may not approve" : " · may only approve"
}
