// The programs that serve the open sessions: MCP servers and extensions, with their health.
import { extensionTexts, serverTexts } from "../../../src/display/facts/programs.ts"
import type { RowText } from "../../../src/display/facts/row-text.ts"
import type { ComponentChildren } from "preact"
import { type Asked, useAnswer } from "./answer.ts"
import type { PanelContext } from "./panel.ts"
import { Rows } from "./rows.tsx"

export function Programs({ port, store }: PanelContext) {
  const servers = useAnswer("servers", () => port.query({ type: "mcp-servers" }))
  const extensions = useAnswer("extensions", () => port.query({ type: "extensions" }))
  const own = store?.sessionId ?? ""
  return (
    <>
      <h3>MCP servers</h3>
      <Part
        asked={servers}
        rowsOf={(reports) => serverTexts(reports, own)}
        none={
          <>
            No MCP server is running. They start with the first turn of a session; <code>turnhouse mcp ls</code> lists
            those that are configured.
          </>
        }
      />
      <h3>Extensions</h3>
      <Part
        asked={extensions}
        rowsOf={extensionTexts}
        none={
          <>
            No extension is running. <code>turnhouse ext ls</code> lists those that are installed.
          </>
        }
      />
    </>
  )
}

interface PartProps<Value> {
  readonly asked: Asked<Value>
  readonly rowsOf: (value: Value) => readonly RowText[]
  readonly none: ComponentChildren
}

function Part<Value>({ asked, rowsOf, none }: PartProps<Value>) {
  if (asked.kind === "asking") return <p class="empty late">Asking the host …</p>
  if (asked.kind === "problem") return <p role="alert">{asked.what}</p>
  const rows = rowsOf(asked.value)
  return rows.length === 0 ? <p class="empty">{none}</p> : <Rows rows={rows} panel="programs" />
}
