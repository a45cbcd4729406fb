// An image in the transcript, small until it is clicked. Only formats that browsers show and that cannot run anything.
import { useEffect, useRef, useState } from "preact/hooks"
import { safe } from "../../../../src/display/safe-text.ts"

const shown = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"])

export interface PictureFile {
  readonly name: string
  readonly mediaType: string
  readonly data?: string | undefined
}

export function isPicture({ mediaType }: Pick<PictureFile, "mediaType">): boolean {
  return shown.has(mediaType)
}

/** `alt`: what it is and where it comes from. */
export function Picture({
  file,
  alt,
}: {
  readonly file: PictureFile & { readonly data: string }
  readonly alt: string
}) {
  const [isLarge, setLarge] = useState(false)
  const [isBroken, setBroken] = useState(false)
  const address = `data:${file.mediaType};base64,${file.data}`
  if (isBroken) return <span class="muted">{safe(file.name)} is not an image that this browser can show.</span>
  return (
    <>
      <button type="button" class="picture" title="Enlarge" onClick={() => setLarge(true)}>
        <img src={address} alt={safe(alt)} loading="lazy" onError={() => setBroken(true)} />
      </button>
      {isLarge && <Enlarged address={address} alt={alt} close={() => setLarge(false)} />}
    </>
  )
}

interface EnlargedProps {
  readonly address: string
  readonly alt: string
  readonly close: () => void
}

/** Escape, the button and a click beside the image close it. */
function Enlarged({ address, alt, close }: EnlargedProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog
      ref={dialog}
      class="enlarged"
      aria-label={safe(alt)}
      onClose={close}
      onClick={(event) => event.target === event.currentTarget && event.currentTarget.close()}
    >
      <form method="dialog">
        <button>Close</button>
      </form>
      <img src={address} alt={safe(alt)} />
    </dialog>
  )
}
