// Every action, query and command that names an object by its id, for `prove tenants`. The tables are complete by their
// types: a new one does not compile without an entry.
import type { HostCommand, HostCommandType } from "../../../contract/host-commands.ts"
import type { SessionId } from "../../../contract/ids.ts"
import type { HostQuery, QueryType } from "../../../contract/queries.ts"
import type { SessionCommand } from "../../../contract/commands.ts"
import type { ActionName } from "../../../protocols/ws/action-names.ts"

/** Of the objects of one visitor, or of objects that do not exist. */
export interface Ids {
  readonly org: string
  readonly visit: string
  readonly conversation: string
}

/** Of the WebSocket API, without `action`. */
export const frames: { readonly [Name in ActionName]: (ids: Ids) => object } = {
  ping: () => ({}),
  create_conversation_session: ({ conversation }) => ({ agentId: "a", conversationId: conversation }),
  get_session: ({ visit }) => ({ sessionId: visit }),
  get_conversation_messages: ({ visit }) => ({ sessionId: visit }),
  list_conversations: () => ({}),
  rename_conversation: ({ conversation }) => ({ conversationId: conversation, title: "mine" }),
  send_message: ({ visit }) => ({ sessionId: visit, message: "and again" }),
  cancel: ({ visit }) => ({ sessionId: visit }),
  confirm_tool_action: ({ visit }) => ({ sessionId: visit, approved: true }),
  submit_interaction: ({ visit }) => ({ sessionId: visit, interactionId: visit, values: {} }),
  verify_otp: ({ visit }) => ({ sessionId: visit, code: "123456" }),
}

/** Those whose answer is a list, or a new object if the id names none. */
export const listing: ReadonlySet<string> = new Set(["ping", "create_conversation_session", "list_conversations"])

/** Of the native API. */
export const queries: { readonly [Type in QueryType]: (ids: Ids) => HostQuery & { readonly type: Type } } = {
  sessions: () => ({ type: "sessions" }),
  session: (ids) => ({ type: "session", ...sessionOf(ids) }),
  "session-page": ({ org }) => ({ type: "session-page", limit: 50, scope: { org } }),
  "session-tree": (ids) => ({ type: "session-tree", ...sessionOf(ids) }),
  "session-lines": ({ conversation }) => ({ type: "session-lines", sessionIds: [conversation] }),
  "search-sessions": ({ org }) => ({ type: "search-sessions", text: `word-of-${org}`, scope: { org } }),
  "usage-history": ({ org }) => ({ type: "usage-history", days: 2, scope: { org } }),
  transcript: (ids) => ({ type: "transcript", ...sessionOf(ids) }),
  scene: (ids) => ({ type: "scene", ...sessionOf(ids) }),
  visit: ({ visit }) => ({ type: "visit", visitId: visit }),
  conversations: ({ org }) => ({ type: "conversations", org }),
  context: (ids) => ({ type: "context", ...sessionOf(ids) }),
  "undo-plan": (ids) => ({ type: "undo-plan", ...sessionOf(ids) }),
  "undo-report": (ids) => ({ type: "undo-report", ...sessionOf(ids) }),
  "result-images": (ids) => ({ type: "result-images", ...sessionOf(ids), seq: 1 }),
  approvals: () => ({ type: "approvals" }),
  tools: (ids) => ({ type: "tools", ...sessionOf(ids) }),
  models: () => ({ type: "models" }),
  skills: (ids) => ({ type: "skills", ...sessionOf(ids) }),
  instructions: (ids) => ({ type: "instructions", ...sessionOf(ids) }),
  "context-usage": (ids) => ({ type: "context-usage", ...sessionOf(ids) }),
  commands: (ids) => ({ type: "commands", ...sessionOf(ids) }),
  documents: ({ org }) => ({ type: "documents", org, limit: 10 }),
  document: ({ org }) => ({ type: "document", org, name: `word-of-${org}.md`, limit: 10 }),
  "search-documents": ({ org }) => ({ type: "search-documents", org, text: `word-of-${org}`, limit: 10 }),
  locks: () => ({ type: "locks" }),
  extensions: () => ({ type: "extensions" }),
  "mcp-servers": () => ({ type: "mcp-servers" }),
  host: () => ({ type: "host" }),
  nodes: () => ({ type: "nodes" }),
  settings: () => ({ type: "settings" }),
  files: (ids) => ({ type: "files", ...sessionOf(ids), text: "" }),
  "mentioned-files": (ids) => ({ type: "mentioned-files", ...sessionOf(ids), text: "@a" }),
  "stage-files": (ids) => ({ type: "stage-files", ...sessionOf(ids), paths: ["a"] }),
}

const lock = { lock: "build", scope: "/" } as const

export const hostCommands: { readonly [Type in HostCommandType]: (ids: Ids) => HostCommand } = {
  "run-command": (ids) => ({ type: "run-command", ...sessionOf(ids), name: "x", args: [] }),
  "acquire-lock": (ids) => ({ type: "acquire-lock", ...sessionOf(ids), ...lock }),
  "release-lock": (ids) => ({ type: "release-lock", ...sessionOf(ids), ...lock }),
  "set-lock-status": (ids) => ({ type: "set-lock-status", ...sessionOf(ids), ...lock, status: "mine" }),
  "move-session": (ids) => ({ type: "move-session", ...sessionOf(ids), node: "a" }),
}

/** A choice of the commands of a session: the session is looked up before its command is read. */
export const sessionCommands: readonly SessionCommand[] = [
  { type: "prompt", promptId: "prm_mine", text: "mine", ifBusy: "wait" },
  { type: "approve", approvalId: "apr_mine", approved: true },
  { type: "rename", name: "mine" },
  { type: "interrupt" },
  { type: "end", when: "idle" },
]

function sessionOf({ conversation }: Ids): { readonly sessionId: SessionId } {
  return { sessionId: conversation }
}
