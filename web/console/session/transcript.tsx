// The transcript, newest at the bottom. It follows what is written until the person scrolls up; earlier turns are read
// when the person comes near the top.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import type { SessionStore } from "../state/session-store.ts"
import { Item } from "./items/item.tsx"
import type { Place } from "../state/route.ts"
import { readUntil } from "./read-until.ts"
import { grownDown, grownUp, keysIn, newestWindow, windowAround, withNewer } from "./transcript-window.ts"

/** Pixels from an edge at which more is shown. */
const NEAR = 800
const AT_END = 48
/** Where a place that was searched for appears, below the upper edge. */
const PLACE_TOP = 40

interface TranscriptProps {
  readonly store: SessionStore
  readonly user: string
  /** Shown at first instead of the newest turns. */
  readonly place: Place | undefined
}

export function Transcript({ store, user, place }: TranscriptProps) {
  const keys = store.keys.value
  const [window, setWindow] = useState(newestWindow)
  const [isFollowing, setFollowing] = useState(true)
  const box = useRef<HTMLDivElement>(null)
  const [marked, setMarked] = useState<string>()
  const anchor = useRef<{ readonly key: string; readonly top: number } | undefined>(undefined)
  const newest = useRef<string | undefined>(undefined)
  const shown = keysIn(window, keys)

  const toEnd = () => {
    const element = box.current
    if (element !== null) element.scrollTop = element.scrollHeight
  }
  store.isFollowing = () => isFollowing

  useLayoutEffect(() => {
    const known = newest.current === undefined ? -1 : keys.lastIndexOf(newest.current)
    newest.current = keys.at(-1)
    if (known >= 0 && known < keys.length - 1) setWindow((current) => withNewer(current, keys.length - 1 - known))
  }, [keys])

  useLayoutEffect(() => {
    if (isFollowing) toEnd()
    else restore(box.current, anchor.current)
  }, [shown.length, shown[0], isFollowing])

  useEffect(() => {
    const content = box.current?.firstElementChild
    if (!isFollowing || box.current === null || content === null || content === undefined) return undefined
    const observer = new ResizeObserver(() => {
      if (store.isFollowing()) toEnd() // this effect ends after the next paint
    })
    observer.observe(content)
    observer.observe(box.current) // a card that appears below makes it smaller
    return () => observer.disconnect()
  }, [isFollowing])

  useEffect(() => {
    if (place === undefined) return undefined
    let isCurrent = true
    const goTo = async () => {
      const found = await readUntil(store, place, () => isCurrent)
      if (found === undefined || !isCurrent) return
      anchor.current = { key: found.key, top: PLACE_TOP }
      setMarked(found.key)
      setWindow(windowAround(found.at, store.keys.value.length))
      setFollowing(false)
      requestAnimationFrame(() => restore(box.current, anchor.current))
    }
    void goTo()
    return () => {
      isCurrent = false
    }
  }, [store, place?.seq])

  const onScroll = () => {
    const element = box.current
    if (element === null) return
    const below = element.scrollHeight - element.scrollTop - element.clientHeight
    const isAtEnd = below < AT_END && window.skipped === 0
    if (isAtEnd !== isFollowing) setFollowing(isAtEnd)
    if (isAtEnd) return
    anchor.current = firstVisible(element)
    if (element.scrollTop < NEAR && window.shown + window.skipped < keys.length) setWindow(grownUp(window, keys.length))
    else if (element.scrollTop < NEAR) void store.readEarlier()
    else if (below < NEAR && window.skipped > 0) setWindow(grownDown(window))
  }
  const showNewest = () => {
    setWindow(newestWindow)
    setFollowing(true)
  }

  return (
    <div class="transcript-frame">
      <div
        class="transcript-scroll"
        ref={box}
        onScroll={onScroll}
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label="Transcript"
      >
        <div class="transcript">
          <Beginning store={store} isWhole={window.shown + window.skipped >= keys.length} />
          {shown.map((key) => {
            const item = store.item(key)
            return item === undefined ? null : (
              <div key={key} class="item" data-key={key} data-found={key === marked ? "" : undefined}>
                <Item item={item} store={store} user={user} />
              </div>
            )
          })}
        </div>
      </div>
      {!isFollowing && (
        <button type="button" class="to-newest" onClick={showNewest}>
          ↓ newest
        </button>
      )}
    </div>
  )
}

function Beginning({ store, isWhole }: { readonly store: SessionStore; readonly isWhole: boolean }) {
  const model = store.model.value
  if (model === undefined || !isWhole) return null
  if (model.hasEarlier)
    return (
      <button type="button" class="fold" onClick={() => void store.readEarlier()}>
        earlier turns
      </button>
    )
  return model.transcript.items.length === 0 ? (
    <p class="empty">Nothing has happened here yet. Ask for something below.</p>
  ) : null
}

function firstVisible(box: HTMLElement): { readonly key: string; readonly top: number } | undefined {
  const frame = box.getBoundingClientRect()
  for (const element of box.querySelectorAll<HTMLElement>(".item")) {
    const { bottom, top } = element.getBoundingClientRect()
    if (bottom > frame.top) return { key: element.dataset["key"] ?? "", top: top - frame.top }
  }
  return undefined
}

/** The item that was first stays where it was. */
function restore(box: HTMLElement | null, anchor: { readonly key: string; readonly top: number } | undefined): void {
  if (box === null || anchor === undefined) return
  const element = box.querySelector(`.item[data-key="${CSS.escape(anchor.key)}"]`)
  if (element === null) return
  box.scrollTop += element.getBoundingClientRect().top - box.getBoundingClientRect().top - anchor.top
}
