// Passages of documents as numbered chips; a chip opens what it quotes.
import { useState } from "preact/hooks"
import type { Citation } from "../../../../src/contract/values.ts"
import { safe } from "../../../../src/display/safe-text.ts"
import { safeAddress } from "../../../shared/markdown/safe-address.ts"

export function Citations({ citations }: { readonly citations: readonly Citation[] }) {
  const [chosen, setChosen] = useState<number>()
  const open = chosen === undefined ? undefined : citations[chosen]
  const address = open?.url === undefined ? undefined : safeAddress(open.url)
  return (
    <div class="citations">
      {citations.map(({ id, title }, at) => (
        <button
          key={id}
          type="button"
          class="chip"
          aria-expanded={at === chosen}
          onClick={() => setChosen(at === chosen ? undefined : at)}
        >
          {at + 1} · {safe(title)}
        </button>
      ))}
      {open !== undefined && (
        <blockquote class="passage">
          <p>{safe(open.snippet)}</p>
          <footer class="muted">
            {address === undefined ? (
              safe(open.title)
            ) : (
              <a href={address} rel="noopener noreferrer" target="_blank">
                {safe(open.title)}
              </a>
            )}
            {` · score ${open.score.toFixed(2)}`}
          </footer>
        </blockquote>
      )}
    </div>
  )
}
