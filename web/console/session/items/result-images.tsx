// The images of a tool's result. Their bytes are read once they come into view, and forgotten with the item.
import { useEffect, useRef, useState } from "preact/hooks"
import { describeRefusal } from "../../../../src/contract/text/describe-refusal.ts"
import type { Attachment } from "../../../../src/contract/values.ts"
import { counted } from "../../../../src/display/format.ts"
import { safe } from "../../../../src/display/safe-text.ts"
import type { CallEntry } from "../../../../src/projection/transcript.ts"
import type { SessionStore } from "../../state/session-store.ts"
import { isPicture, Picture } from "./picture.tsx"

interface ResultImagesProps {
  readonly images: NonNullable<CallEntry["images"]>
  /** The call they come from, in words. */
  readonly source: string
  readonly store: SessionStore
}

/** Further ones are counted. */
const MAX_IMAGES = 12

export function ResultImages({ images, source, store }: ResultImagesProps) {
  const list = useRef<HTMLUListElement>(null)
  const read = useImages(list, images.seq, store)
  const hidden = images.files.length - MAX_IMAGES
  return (
    <ul class="attachments result-images" ref={list}>
      {images.files.slice(0, MAX_IMAGES).map(({ name, mediaType }, at) => {
        const data = typeof read === "string" ? undefined : read?.[at]?.data
        return (
          <li key={at}>
            {data !== undefined && isPicture({ mediaType }) && (
              <Picture file={{ name, mediaType, data }} alt={`${name}, from ${source}`} />
            )}
            <span class="muted">{safe(name)}</span>
          </li>
        )
      })}
      {hidden > 0 && <li class="muted">+{counted(hidden, "image")}</li>}
      {typeof read === "string" && <li class="s-warning">{read}</li>}
    </ul>
  )
}

/** The images, or why they cannot be shown. */
function useImages(
  list: { readonly current: HTMLElement | null },
  seq: number,
  store: SessionStore,
): readonly Attachment[] | string | undefined {
  const [read, setRead] = useState<readonly Attachment[] | string>()
  useEffect(() => {
    if (list.current === null) return undefined
    let isCurrent = true
    const load = async () => {
      const answered = await store.resultImages(seq)
      if (!isCurrent) return
      setRead(
        answered.kind === "answer"
          ? answered.value.images
          : `The images could not be read: ${describeRefusal(answered.refusal)}`,
      )
    }
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return
      observer.disconnect()
      void load()
    })
    observer.observe(list.current)
    return () => {
      isCurrent = false
      observer.disconnect()
    }
  }, [store, seq])
  return read
}
