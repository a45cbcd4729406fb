// The settings of the server with the files that they come from.
import { useState } from "preact/hooks"
import { safe } from "../../../src/display/safe-text.ts"
import { useAnswer } from "./answer.ts"
import type { PanelContext } from "./panel.ts"

export function Settings({ port }: PanelContext) {
  const asked = useAnswer("settings", () => port.query({ type: "settings" }))
  const [filter, setFilter] = useState("")
  if (asked.kind === "asking") return <p class="empty">Reading the configuration …</p>
  if (asked.kind === "problem") return <p role="alert">{asked.what}</p>
  const lines = asked.value.filter(({ key }) => key.toLowerCase().includes(filter.toLowerCase()))
  return (
    <>
      <label class="field">
        Find
        <input type="search" value={filter} onInput={({ currentTarget }) => setFilter(currentTarget.value)} />
      </label>
      {asked.value.length === 0 && (
        <p class="empty">
          No file sets anything: the defaults apply. The file of your own settings is config.json in the home.
        </p>
      )}
      {lines.length === 0 && asked.value.length > 0 && <p class="empty">No setting has this name.</p>}
      <dl class="settings">
        {lines.map(({ key, value, files }) => (
          <div key={key}>
            <dt>
              <code>{safe(key)}</code>
            </dt>
            <dd>
              <code>{safe(value)}</code>
              <p class="muted">{files.length === 0 ? "computed" : files.map(safe).join(", then ")}</p>
            </dd>
          </div>
        ))}
      </dl>
      <p class="muted">
        Settings that no file names have their defaults. Files of a session's folder are read when it starts.
      </p>
    </>
  )
}
