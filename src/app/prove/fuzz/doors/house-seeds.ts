// Frames of an honest client of the native API: every kind of frame, many queries and commands.
import { sessionPlaceholder as sessionId } from "./fuzzed-host.ts"

const queries: readonly object[] = [
  { type: "sessions" },
  { type: "session", sessionId },
  { type: "session-page", limit: 10 },
  { type: "session-tree", sessionId },
  { type: "session-lines", sessionIds: [sessionId] },
  { type: "transcript", sessionId, turns: 3, before: 9 },
  { type: "scene", sessionId, turns: 2 },
  { type: "visit", visitId: sessionId, brief: true },
  { type: "undo-plan", sessionId, turns: 1 },
  { type: "undo-report", sessionId },
  { type: "result-images", sessionId, seq: 1 },
  { type: "context", sessionId },
  { type: "context-usage", sessionId },
  { type: "approvals" },
  { type: "tools", sessionId },
  { type: "models" },
  { type: "files", sessionId, text: "a" },
  { type: "mentioned-files", sessionId, text: "@a.txt" },
  { type: "skills", sessionId },
  { type: "instructions", sessionId },
  { type: "commands", sessionId },
  { type: "locks" },
  { type: "extensions" },
  { type: "mcp-servers" },
  { type: "settings" },
  { type: "host" },
  { type: "nodes" },
  { type: "move-session", sessionId, node: "a" },
  { type: "acquire-lock", sessionId, lock: "file_write", scope: "a", description: "d" },
  { type: "release-lock", sessionId, lock: "file_write", scope: "a" },
]

const commands: readonly object[] = [
  { type: "prompt", promptId: "prm_1", text: "hello", ifBusy: "wait" },
  { type: "prompt", promptId: "prm_2", text: "more", ifBusy: "steer" },
  { type: "withdraw", promptId: "prm_1" },
  { type: "interrupt" },
  { type: "resume" },
  { type: "select-model", model: "offline/demo:0" },
  { type: "select-thinking", level: "high" },
  { type: "compact" },
  { type: "clear-context" },
  { type: "alias", alias: "a" },
  { type: "rename", name: "a name" },
  { type: "approve", approvalId: "apr_1", approved: true, digest: "0" },
  { type: "enter-plan", focus: "x" },
  { type: "exit-plan" },
  { type: "add-task", title: "t" },
  { type: "mark", name: "m" },
  { type: "rewind", turns: 1 },
  { type: "undo", turns: 1 },
  { type: "raise-budget", usd: 1 },
]

export function houseSeeds(cwd: string): readonly Uint8Array[] {
  const frames: readonly object[] = [
    { type: "hello", version: 1, door: "terminal" },
    { type: "hello", version: 1, key: "a key", door: "terminal" },
    { type: "open", id: "1", sessionId, cursor: 0 },
    { type: "open", id: "1", sessionId, snapshot: { turns: 2 }, env: { LANG: "C" } },
    { type: "open", id: "1", sessionId, quiet: true, who: { principal: "a", door: "b", roles: ["watch"] } },
    { type: "create", id: "1", wish: { cwd, origin: "test", model: "offline/demo:0", name: "n", aliases: ["b"] } },
    { type: "close", sessionId },
    ...queries.map((query) => ({ type: "query", id: "1", query })),
    ...commands.map((command) => ({ type: "send", id: "1", sessionId, command })),
  ]
  return frames.map((frame) => Buffer.from(JSON.stringify(frame)))
}
