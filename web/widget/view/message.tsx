// What the visitor and the agent say. Text of the visitor is plain, that of the agent is Markdown.
import type { Citation } from "../../../src/clients/ws/index.ts"
import { Markdown } from "../../shared/markdown/markdown.tsx"
import { StreamedMarkdown } from "../../shared/markdown/streamed-markdown.tsx"
import type { WidgetTexts } from "../api.ts"
import { Citations } from "./citations.tsx"

interface MessageProps {
  readonly texts: WidgetTexts
  readonly text: string
}

export function VisitorMessage({ texts, text }: MessageProps) {
  return (
    <div class="bubble visitor" part="visitor-message" dir="auto">
      <span class="hidden">{texts.you}: </span>
      {text}
    </div>
  )
}

interface AgentMessageProps extends MessageProps {
  readonly isStreaming?: boolean
  readonly citations?: readonly Citation[] | undefined
}

export function AgentMessage({ texts, text, isStreaming = false, citations = [] }: AgentMessageProps) {
  return (
    <div class="bubble agent" part="agent-message" dir="auto">
      {isStreaming ? <StreamedMarkdown text={text} /> : <Markdown text={text} />}
      {citations.length > 0 && <Citations texts={texts} citations={citations} />}
    </div>
  )
}
