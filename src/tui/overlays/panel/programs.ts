// What serves the session: its MCP servers and its extensions.
import { extensionTexts, serverTexts } from "../../../display/facts/programs.ts"
import { answered } from "./answered.ts"
import { panelRow } from "./row-lines.ts"
import type { PanelTab } from "./tab.ts"

export const serversTab: PanelTab = {
  title: "MCP",
  none: "This session uses no MCP servers yet. They start with its first turn; 'turnhouse mcp ls' lists those that are configured.",
  load: async ({ port }, { sessionId }) =>
    serverTexts(answered(await port.query({ type: "mcp-servers" })), sessionId).map(panelRow),
}

export const extensionsTab: PanelTab = {
  title: "extensions",
  none: "This session has no extensions.",
  load: async ({ port }) => extensionTexts(answered(await port.query({ type: "extensions" }))).map(panelRow),
}
