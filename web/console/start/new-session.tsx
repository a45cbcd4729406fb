// Starts a session in a folder of the server's computer: for the owner only.
import { useState } from "preact/hooks"
import type { PanelContext } from "../panels/panel.ts"
import { DOOR } from "../state/connection.ts"
import { startSession } from "./start-session.ts"

const MAX_FOLDERS = 30

export function NewSession({ context }: { readonly context: PanelContext }) {
  const folders = [...new Set(context.list.recent.value.map(({ status }) => status.cwd))].filter(
    (folder) => folder !== "",
  )
  const [folder, setFolder] = useState<string>()
  const [prompt, setPrompt] = useState("")
  const [problem, setProblem] = useState<string>()
  const [isStarting, setStarting] = useState(false)
  const cwd = folder ?? folders[0] ?? ""
  const start = async () => {
    setStarting(true)
    setProblem(await startSession(context, { cwd: cwd.trim(), origin: DOOR }, prompt))
    setStarting(false)
  }
  return (
    <details class="new-session" open={!matchMedia("(max-width: 700px)").matches}>
      <summary>
        <h2>New session</h2>
      </summary>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void start()
        }}
      >
        <label>
          Folder
          <input
            required
            list="known-folders"
            value={cwd}
            placeholder="/home/you/project"
            onInput={(event) => setFolder(event.currentTarget.value)}
          />
        </label>
        <datalist id="known-folders">
          {folders.slice(0, MAX_FOLDERS).map((known) => (
            <option key={known} value={known} />
          ))}
        </datalist>
        <label>
          What should it do?
          <textarea rows={3} value={prompt} onInput={(event) => setPrompt(event.currentTarget.value)} />
        </label>
        <button type="submit" class="send" disabled={isStarting || cwd.trim() === ""}>
          Start
        </button>
        {problem !== undefined && <p role="alert">{problem}</p>}
      </form>
    </details>
  )
}
