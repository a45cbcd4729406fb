// The sources of an answer: numbered chips, each of which opens its passage.
import { useId, useState } from "preact/hooks"
import type { Citation } from "../../../src/clients/ws/index.ts"
import { safeAddress } from "../../shared/markdown/safe-address.ts"
import type { WidgetTexts } from "../api.ts"
import { filled } from "../options/texts.ts"

interface CitationsProps {
  readonly texts: WidgetTexts
  readonly citations: readonly Citation[]
}

export function Citations({ texts, citations }: CitationsProps) {
  const [opened, setOpened] = useState<number | undefined>(undefined)
  const id = useId()
  const citation = opened === undefined ? undefined : citations[opened]
  return (
    <div class="sources">
      <span class="sources-label">{texts.sources}</span>
      {citations.map(({ id: document, title }, at) => (
        <button
          key={document}
          type="button"
          class="chip"
          title={title}
          aria-label={filled(texts.source, { number: at + 1, title })}
          aria-expanded={opened === at}
          aria-controls={opened === at ? id : undefined}
          onClick={() => setOpened(opened === at ? undefined : at)}
        >
          {at + 1}
        </button>
      ))}
      {citation !== undefined && <Passage id={id} texts={texts} citation={citation} />}
    </div>
  )
}

interface PassageProps {
  readonly id: string
  readonly texts: WidgetTexts
  readonly citation: Citation
}

function Passage({ id, texts, citation: { title, snippet, url } }: PassageProps) {
  const address = url === undefined ? undefined : safeAddress(url)
  return (
    <figure class="passage" id={id}>
      <figcaption>{title}</figcaption>
      <blockquote>{snippet}</blockquote>
      {address !== undefined && (
        <a href={address} target="_blank" rel="noopener noreferrer">
          {texts.openPage}
        </a>
      )}
    </figure>
  )
}
