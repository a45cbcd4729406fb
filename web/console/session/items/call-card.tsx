// A tool call: one line with its main argument and what came of it; below it the change, the output or the passages.
import { useState } from "preact/hooks"
import { diagnosticsField, fileDiffOf, pathDiffsOf } from "../../../../src/contract/rules/file-diff.ts"
import { mainArgument } from "../../../../src/contract/rules/core-tools.ts"
import { lastLines } from "../../../../src/contract/rules/live-output.ts"
import { textIn } from "../../../../src/contract/json-object.ts"
import { oneLine, withoutEscapes } from "../../../../src/contract/text/text.ts"
import { callFacts, folded, quietTools, shownArgument, todoTexts } from "../../../../src/display/call-lines.ts"
import { decisionText } from "../../../../src/display/decision-text.ts"
import { counted, exactArguments } from "../../../../src/display/format.ts"
import { safe } from "../../../../src/display/safe-text.ts"
import type { CallEntry } from "../../../../src/projection/transcript.ts"
import { Diff } from "../../../shared/diff.tsx"
import { Spans } from "../../../shared/spans.tsx"
import type { SessionStore } from "../../state/session-store.ts"
import { Citations } from "./citations.tsx"
import { Elapsed } from "./elapsed.tsx"
import { ResultImages } from "./result-images.tsx"

export interface CallCardProps {
  readonly call: CallEntry
  readonly store: SessionStore
}

const MAX_ARGUMENT = 300
const LIVE_LINES = 12
/** Characters of an output that are drawn when it is opened. */
const MAX_OUTPUT = 300_000

export function CallCard({ call, store }: CallCardProps) {
  const [isOpen, setOpen] = useState(false)
  const argument = oneLine(shownArgument(call.tool, call.input), MAX_ARGUMENT)
  const decision =
    call.approval === undefined
      ? undefined
      : decisionText(call.approval, undefined, mainArgument(call.tool, call.input))
  return (
    <div class="call" data-state={call.state}>
      <button type="button" class="call-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Sign state={call.state} />
        <span class="call-tool">{oneLine(call.tool, 40)}</span>
        <code class="call-argument">{argument === "{}" ? "" : safe(argument)}</code>
        <Facts call={call} />
      </button>
      {call.state === "running" && <LiveOutput call={call} store={store} />}
      <CallBody call={call} isOpen={isOpen} open={() => setOpen(true)} />
      {isOpen && (
        <details class="arguments">
          <summary>exact arguments</summary>
          <pre tabIndex={0}>{exactArguments(call.input)}</pre>
        </details>
      )}
      {call.images !== undefined && (
        <ResultImages images={call.images} source={oneLine(`${call.tool} ${argument}`, MAX_ARGUMENT)} store={store} />
      )}
      {call.citations !== undefined && <Citations citations={call.citations} />}
      {decision !== undefined && <p class="decision muted">{decision}</p>}
    </div>
  )
}

const signs: Readonly<Record<CallEntry["state"], readonly [sign: string, text: string]>> = {
  called: ["○", "is prepared"],
  asked: ["!", "waiting for approval"],
  approved: ["○", "approved"],
  running: ["○", "running"],
  done: ["●", "done"],
  failed: ["●", "failed"],
  cancelled: ["●", "cancelled"],
  refused: ["⊘", "refused"],
  unsettled: ["?", "outcome unknown"],
}

function Sign({ state }: { readonly state: CallEntry["state"] }) {
  const [sign, text] = signs[state]
  return (
    <span class="sign" role="img" aria-label={text}>
      {sign}
    </span>
  )
}

function Facts({ call }: { readonly call: CallEntry }) {
  const { state, startedAt, endedAt, output = "", details } = call
  if (state === "asked") return <span class="facts s-accent">waiting for approval</span>
  if (state === "running") return <span class="facts">{startedAt !== undefined && <Elapsed since={startedAt} />}</span>
  if (state !== "done" && state !== "failed" && state !== "cancelled") return null
  const ms = startedAt === undefined || endedAt === undefined ? undefined : Math.max(0, endedAt - startedAt)
  const facts = callFacts(call, { outcome: state, output, details, ms })
  return (
    <span class="facts">
      {facts.map((fact, at) => (
        <span key={at}>
          <Spans line={[fact]} />
        </span>
      ))}
    </span>
  )
}

function LiveOutput({ call, store }: Pick<CallCardProps, "call" | "store">) {
  const output = store.output(call.callId).value
  if (output === undefined) return null
  const lines = lastLines(output, LIVE_LINES)
  return <pre class="output live">{safe(lines.join("\n"))}</pre>
}

interface BodyProps {
  readonly call: CallEntry
  readonly isOpen: boolean
  readonly open: () => void
}

function CallBody({ call, isOpen, open }: BodyProps) {
  const { state, output = "", details } = call
  if (state === "refused") return <p class="output-note s-danger">{safe(withoutEscapes(output))}</p>
  if (state === "unsettled") return <p class="output-note s-danger">outcome unknown: {safe(output)}</p>
  if (state !== "done" && state !== "failed" && state !== "cancelled") return null
  const change = <Change call={call} />
  const text = hasChange(call) ? (textIn(details, diagnosticsField) ?? "") : withoutEscapes(output)
  const todos = state === "done" ? todoTexts(call) : undefined
  if (todos !== undefined && !isOpen) return <pre class="output">{todos.join("\n")}</pre>
  const isQuiet = state === "done" && quietTools.has(call.tool) && !isOpen
  return (
    <>
      {change}
      {!isQuiet && <Output text={text} isOpen={isOpen} open={open} />}
    </>
  )
}

function hasChange({ details, input, state }: CallEntry): boolean {
  if (fileDiffOf(details) !== undefined || pathDiffsOf(details).length > 0) return true
  return state === "done" && isCreated(details) && textIn(input, "content") !== undefined
}

function isCreated(details: CallEntry["details"]): boolean {
  return typeof details === "object" && details !== null && "created" in details && details.created === true
}

function Change({ call }: { readonly call: CallEntry }) {
  const { details, input } = call
  const diff = fileDiffOf(details)
  if (diff !== undefined) return <Diff diff={diff} />
  const diffs = pathDiffsOf(details)
  const content = textIn(input, "content")
  if (diffs.length === 0 && isCreated(details) && content !== undefined) {
    const lines = content.replace(/\n$/, "").split("\n")
    const added = lines.map((text, at) => ({ sign: "+" as const, at: at + 1, text }))
    return <Diff diff={{ added: lines.length, removed: 0, lines: added }} />
  }
  return (
    <>
      {diffs.map((one) => (
        <div key={one.path}>
          <p class="muted">
            <code>{safe(oneLine(one.path, MAX_ARGUMENT))}</code> +{one.added} −{one.removed}
          </p>
          <Diff diff={one} />
        </div>
      ))}
    </>
  )
}

/** Folded to its first and last lines. */
function Output({
  text,
  isOpen,
  open,
}: {
  readonly text: string
  readonly isOpen: boolean
  readonly open: () => void
}) {
  if (text.trim() === "") return null
  if (isOpen) {
    const hidden = text.length - MAX_OUTPUT
    return (
      <pre class="output open" tabIndex={0}>
        {safe(text.slice(0, MAX_OUTPUT))}
        {hidden > 0 && `\n+${hidden} characters`}
      </pre>
    )
  }
  const lines = folded(text)
  const fold = /^\+(\d+) lines$/.exec(lines[2] ?? "")
  if (lines.length <= 6 || fold === null) return <pre class="output">{safe(lines.join("\n"))}</pre>
  return (
    <div class="output-fold">
      <pre class="output">{safe(lines.slice(0, 2).join("\n"))}</pre>
      <button type="button" class="fold" onClick={open}>
        +{counted(Number(fold[1]), "line")}
      </button>
      <pre class="output">{safe(lines.slice(3).join("\n"))}</pre>
    </div>
  )
}
