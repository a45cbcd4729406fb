// How a reader can watch a session of a story: with `attach` in another terminal, and in the page of a server if it has one.
import { setTimeout as sleep } from "node:timers/promises"
import type { SessionId } from "../../contract/ids.ts"
import { AppFault } from "../app-fault.ts"
import { serverUrl } from "../serve/server-note.ts"
import type { RunningStory } from "./story.ts"
import type { StartedProgram, Workspace } from "./workspace.ts"

const START_MS = 60_000
const lookEveryMs = 25

/** Starts a server beside the host of the story, for its page. Without a page it is ended again. */
export async function offerWaysWithServer(
  { output, workspace }: Pick<RunningStory, "output" | "workspace">,
  sessionId: SessionId,
): Promise<void> {
  const server = workspace.start(["serve", "--port", "0", "--quiet"])
  const page = await pageOf(workspace, await serverAddress(workspace, server), sessionId)
  if (page === undefined) await server.end()
  output.follow({ home: workspace.home, sessionId, page })
}

/** Resolves when the server listens. */
export async function serverAddress(workspace: Workspace, server: StartedProgram): Promise<string> {
  for (const deadline = performance.now() + START_MS; ; await sleep(lookEveryMs)) {
    const url = serverUrl(workspace.home)
    if (url !== undefined) return url
    if (server.exitCode() !== undefined || performance.now() > deadline)
      throw new AppFault(`the server of the story did not start: ${server.problem()}`)
  }
}

/**
 * The address of the session in the page, with a key that may approve; undefined where the server has no page. The key is for
 * all sessions of the story: one for a single session would hide its agents and their locks.
 */
export async function pageOf(workspace: Workspace, server: string, sessionId: SessionId): Promise<string | undefined> {
  const answer = await fetch(server, { headers: { accept: "text/html" } })
  await answer.body?.cancel()
  if (answer.headers.get("content-type")?.startsWith("text/html") !== true) return undefined
  const { code, stdout } = await workspace.turnhouse(["link", "--role", "approve"])
  const [line = ""] = stdout.split("\n")
  return code === 0 && /^https?:/.test(line) ? `${line}/session/${sessionId}` : undefined
}
