// Answers queries about the files of a session's folder. Sessions of visitors have none: their folder is the server's.
import type { EventOf } from "../../contract/events.ts"
import type { Answers, Queries } from "../../contract/queries.ts"
import { ok, type Outcome } from "../../log/event-log.ts"
import type { SessionHost } from "../session-host.ts"
import { foldsOf } from "./open-folds.ts"

type Created = Pick<EventOf<"session.created">, "cwd" | "configuration" | "settingsFolder">

/** From the composition, which reads the configuration and the folder. */
export interface SessionFilesPort {
  /** The best matches, as paths below the folder. */
  find(session: Created, text: string): Promise<readonly string[]>
  mentioned(session: Created, text: string): Promise<Outcome<Answers["mentioned-files"]>>
}

/** For a host without a composition. */
export const noFiles: SessionFilesPort = {
  find: async () => [],
  mentioned: async () => ok({ attachments: [], notes: [], problems: [] }),
}

export async function findFiles(
  host: SessionHost,
  { sessionId, text }: Queries["files"],
  files: SessionFilesPort,
): Promise<Outcome<Answers["files"]>> {
  const created = await localSession(host, sessionId)
  if (created.kind === "refused") return created
  return ok(created.value === undefined ? [] : [...(await files.find(created.value, text))])
}

export async function mentionedFiles(
  host: SessionHost,
  { sessionId, text }: Queries["mentioned-files"],
  files: SessionFilesPort,
): Promise<Outcome<Answers["mentioned-files"]>> {
  const created = await localSession(host, sessionId)
  if (created.kind === "refused") return created
  if (created.value === undefined) return ok({ attachments: [], notes: [], problems: [] })
  return files.mentioned(created.value, text)
}

async function localSession(host: SessionHost, sessionId: string): Promise<Outcome<Created | undefined>> {
  const folds = await foldsOf(host, sessionId)
  if (folds.kind === "refused") return folds
  const { created } = folds.value.state
  return ok(created === undefined || created.preset === "service" ? undefined : created)
}
