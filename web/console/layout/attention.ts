// Calls a person to the page: the title, the icon, a short sound and notifications say that something waits.
import { effect } from "@preact/signals"
import { notify, requestId, withdrawNotifications } from "./notifications.ts"
import type { SessionList } from "../state/session-list.ts"
import plain from "../icons/icon.svg"
import waiting from "../icons/icon-waiting.svg"

const NAME = "Turnhouse"
/** Notifications; the title has the number of all. */
const MAX_AT_ONCE = 3

export function callForAttention(list: SessionList): () => void {
  let known = new Set<string>()
  let isFirst = true
  const stopSound = readySound()
  const stopEffect = effect(() => {
    const requests = list.requests.value
    document.title = requests.length === 0 ? NAME : `(${requests.length}) waiting · ${NAME}`
    document.querySelector("link[rel=icon]")?.setAttribute("href", requests.length === 0 ? plain : waiting)
    const ids = new Set(requests.map(requestId))
    const added =
      isFirst || document.visibilityState !== "hidden" ? [] : requests.filter((one) => !known.has(requestId(one)))
    if (added.length > 0) stopSound.play()
    for (const request of added.slice(0, MAX_AT_ONCE)) void notify(request)
    if ([...known].some((id) => !ids.has(id))) void withdrawNotifications(ids)
    isFirst = !list.isRead.value
    known = ids
  })
  return () => {
    stopEffect()
    stopSound.close()
  }
}

/** Browsers permit sound only after a first gesture. */
function readySound(): { readonly play: () => void; readonly close: () => void } {
  let audio: AudioContext | undefined
  const onGesture = () => {
    audio ??= new AudioContext()
  }
  addEventListener("pointerdown", onGesture, { once: true })
  addEventListener("keydown", onGesture, { once: true })
  return {
    play: () => {
      if (audio !== undefined) tone(audio)
    },
    close: () => {
      removeEventListener("pointerdown", onGesture)
      removeEventListener("keydown", onGesture)
      void audio?.close()
    },
  }
}

const PITCHES = [660, 880]
const SECONDS = 0.14

function tone(audio: AudioContext): void {
  for (const [at, pitch] of PITCHES.entries()) {
    const start = audio.currentTime + at * SECONDS
    const volume = new GainNode(audio, { gain: 0 })
    volume.gain.setValueAtTime(0.08, start)
    volume.gain.exponentialRampToValueAtTime(0.001, start + SECONDS)
    const source = new OscillatorNode(audio, { frequency: pitch })
    source.connect(volume).connect(audio.destination)
    source.start(start)
    source.stop(start + SECONDS)
  }
}
