// The programs that serve sessions: MCP servers and extensions. Pure.
import type { SessionId } from "../../contract/ids.ts"
import type { ExtensionReport, McpServerReport } from "../../contract/views/host.ts"
import { counted } from "../format.ts"
import type { RowText } from "./row-text.ts"

export function serverTexts(servers: readonly McpServerReport[], sessionId: SessionId): readonly RowText[] {
  const own = servers.filter((server) => server.sessionId === sessionId)
  return (own.length === 0 ? servers : own).map(serverText) // an agent uses the servers of its root
}

function serverText({ name, state, tools, connectMs, lastError }: McpServerReport): RowText {
  const facts = [
    state,
    ...(tools === 0 ? [] : [counted(tools, "tool")]),
    ...(connectMs === null ? [] : [`connected in ${Math.round(connectMs)} ms`]),
  ]
  return {
    left: `${state === "ready" || state === "starting" || state === "idle" ? "●" : "✗"} ${name}`,
    right: facts.join(" · "),
    notes: lastError === null ? [] : [lastError],
    styles: state === "failed" ? (["danger"] as const) : [],
  }
}

export function extensionTexts(extensions: readonly ExtensionReport[]): readonly RowText[] {
  return extensions.map(({ id, health, restarts, lastFault, times, isOutdated, isGuard }) => {
    const facts = [
      health,
      ...(times.calls === 0 ? [] : [`${counted(times.calls, "call")}, ${Math.round(times.medianMs)} ms`]),
      ...(restarts === 0 ? [] : [counted(restarts, "restart")]),
      ...(isGuard ? ["guard"] : []),
      ...(isOutdated ? ["outdated"] : []),
    ]
    const isWell = health === "running" || health === "starting"
    return {
      left: `${isWell ? "●" : "✗"} ${id}`,
      right: facts.join(" · "),
      notes: lastFault === null ? [] : [lastFault],
      styles: health === "failed" ? (["danger"] as const) : [],
    }
  })
}
