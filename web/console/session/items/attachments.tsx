// Files of a prompt: images as pictures, others by name. Nothing is loaded from an address.
import type { Attachment } from "../../../../src/contract/values.ts"
import { safe } from "../../../../src/display/safe-text.ts"
import { isPicture, Picture } from "./picture.tsx"

export function Attachments({ attachments }: { readonly attachments: readonly Attachment[] }) {
  if (attachments.length === 0) return null
  return (
    <ul class="attachments">
      {attachments.map(({ name, mediaType, data }, at) => (
        <li key={at}>
          {data !== undefined && isPicture({ mediaType }) && <Picture file={{ name, mediaType, data }} alt={name} />}
          <span>{safe(name)}</span>
        </li>
      ))}
    </ul>
  )
}
