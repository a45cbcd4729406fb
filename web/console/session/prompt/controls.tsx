// The line below the box: files, plan mode, model, thinking, tools, interrupt and send.
import { useRef, useState } from "preact/hooks"
import type { SessionCommand } from "../../../../src/contract/commands.ts"
import { DEFAULT_THINKING, isThinkingLevel, thinkingLevels } from "../../../../src/contract/rules/thinking.ts"
import { describeRefusal } from "../../../../src/contract/text/describe-refusal.ts"
import { useQuery } from "../../state/use-query.ts"
import type { SessionViewProps } from "../props.ts"

interface ControlsProps extends SessionViewProps {
  readonly addFiles: (files: Iterable<File>) => void
}

const toolModes = ["Full", "Smart", "Core", "None"] as const

export function Controls({ store, context, addFiles }: ControlsProps) {
  const picker = useRef<HTMLInputElement>(null)
  const [problem, setProblem] = useState<string>()
  const models = useModels(context)
  const model = store.model.value
  if (model === undefined) return null
  const { status, toolMode } = model
  const command = async (sent: SessionCommand) => {
    const outcome = await store.send(sent)
    setProblem(outcome.kind === "refused" ? describeRefusal(outcome.refusal) : undefined)
  }
  const names = models.includes(status.model) ? models : [status.model, ...models]
  return (
    <div class="controls">
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          addFiles(event.currentTarget.files ?? [])
          event.currentTarget.value = ""
        }}
      />
      <button type="button" title="Attach files" onClick={() => picker.current?.click()}>
        + file
      </button>
      <button
        type="button"
        aria-pressed={status.planMode}
        onClick={() => void command(status.planMode ? { type: "exit-plan" } : { type: "enter-plan" })}
      >
        plan mode
      </button>
      <select
        aria-label="Model"
        value={status.model}
        onChange={(event) => void command({ type: "select-model", model: event.currentTarget.value })}
      >
        {names.map((name) => (
          <option key={name} value={name}>
            {name.slice(name.lastIndexOf("/") + 1)}
          </option>
        ))}
      </select>
      <select
        aria-label="Thinking"
        value={status.thinking ?? DEFAULT_THINKING}
        onChange={({ currentTarget: { value } }) =>
          void command(isThinkingLevel(value) ? { type: "select-thinking", level: value } : { type: "select-thinking" })
        }
      >
        {[DEFAULT_THINKING, ...thinkingLevels].map((level) => (
          <option key={level} value={level}>
            thinking: {level}
          </option>
        ))}
      </select>
      <select
        aria-label="Tools"
        value={typeof toolMode === "string" ? toolMode : "Explicit"}
        onChange={({ currentTarget: { value } }) => {
          const mode = toolModes.find((one) => one === value)
          if (mode !== undefined) void command({ type: "select-tools", mode })
        }}
      >
        {typeof toolMode !== "string" && <option value="Explicit">tools: some</option>}
        {toolModes.map((mode) => (
          <option key={mode} value={mode}>
            tools: {mode.toLowerCase()}
          </option>
        ))}
      </select>
      <span class="spacer" />
      {status.parked && (
        <button type="button" onClick={() => void command({ type: "resume" })}>
          Resume
        </button>
      )}
      {status.inTurn && (
        <button type="button" onClick={() => void command({ type: "interrupt" })}>
          Interrupt
        </button>
      )}
      {problem !== undefined && <p role="alert">{problem}</p>}
    </div>
  )
}

function useModels({ port }: SessionViewProps["context"]): readonly string[] {
  const models = useQuery(port, { type: "models" }) ?? []
  return models.map(({ provider, id }) => (id.startsWith(`${provider}/`) ? id : `${provider}/${id}`))
}
