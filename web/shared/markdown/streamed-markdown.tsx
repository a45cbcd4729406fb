// Markdown that is still being written: complete blocks are parsed and drawn once, only the newest one with every frame.
import { useRef } from "preact/hooks"
import { Blocks } from "./markdown.tsx"
import { StreamParser } from "./stream-parser.ts"

export function StreamedMarkdown({ text }: { readonly text: string }) {
  const parser = useRef<StreamParser>(undefined)
  parser.current ??= new StreamParser()
  return (
    <div class="markdown streamed">
      <Blocks tokens={parser.current.parse(text)} />
    </div>
  )
}
