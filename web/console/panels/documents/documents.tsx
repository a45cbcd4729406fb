// The documents of the knowledge index: try out a question, and look into what agents find.
import { useState } from "preact/hooks"
import type { PanelContext } from "../panel.ts"
import type { DocumentPlace } from "./document-text.ts"
import { DocumentList } from "./document-list.tsx"
import { DocumentView } from "./document-view.tsx"
import { TryOut } from "./try-out.tsx"

export function Documents({ port, access }: PanelContext) {
  const [opened, setOpened] = useState<DocumentPlace>()
  const isOwner = access.roles === undefined
  return (
    <>
      {opened !== undefined && <DocumentView port={port} place={opened} close={() => setOpened(undefined)} />}
      <div hidden={opened !== undefined}>
        <TryOut port={port} isOwner={isOwner} open={setOpened} />
        <DocumentList port={port} open={setOpened} />
      </div>
    </>
  )
}
