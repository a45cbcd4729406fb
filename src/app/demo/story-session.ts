// The session of a story on a host of its own, shown as it runs, with the ways to watch it from elsewhere.
import { offerWaysWithServer } from "./offer-ways.ts"
import type { RunningStory } from "./story.ts"
import { StoryHost } from "./story-host.ts"
import { WatchedSession } from "./watched-session.ts"

export interface StorySession {
  readonly host: StoryHost
  readonly session: WatchedSession
}

export async function startSession({ output, workspace }: RunningStory, folder: string): Promise<StorySession> {
  const host = await StoryHost.start(workspace, ["host"], folder)
  const show = (...shown: Parameters<typeof output.show>) => output.show(...shown)
  const session = await WatchedSession.create(host, { workspace, cwd: folder }, show)
  workspace.onClose(() => session.end())
  await offerWaysWithServer({ output, workspace }, session.id)
  return { host, session }
}
