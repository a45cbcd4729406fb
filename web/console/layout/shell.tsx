// The page of a person who is signed in: sessions, the open session, and the drawer.
import { signal } from "@preact/signals"
import { useEffect, useMemo, useState } from "preact/hooks"
import type { SessionModel } from "../../../src/clients/session/session-model.ts"
import type { PanelContext } from "../panels/panel.ts"
import { SessionView } from "../session/session-view.tsx"
import { SessionsColumn } from "../start/sessions-column.tsx"
import { may, type Access } from "../state/connection.ts"
import { useConsole } from "../state/console.ts"
import { SessionList } from "../state/session-list.ts"
import { SessionStore } from "../state/session-store.ts"
import { StartPage } from "../start/start-page.tsx"
import { callForAttention } from "./attention.ts"
import { Drawer, openPanel } from "./drawer.tsx"
import { useIsPhone } from "./drawer-focus.ts"
import { Help } from "./help.tsx"
import { keyBindings, onKey } from "./keys.ts"
import { TopBar } from "./top-bar.tsx"

const noSession = signal<SessionModel | undefined>(undefined)

export function Shell({ access }: { readonly access: Access }) {
  const { route } = useConsole()
  const { sessionId, panel } = route.value
  const list = useMemo(() => new SessionList(access), [access.port])
  useEffect(() => {
    const stop = callForAttention(list)
    return () => {
      stop()
      list.close()
    }
  }, [list])
  const [isHelpOpen, setHelpOpen] = useState(false)
  const bindings = useMemo(() => keyBindings(() => setHelpOpen(true)), [])
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKey(bindings, event)
    addEventListener("keydown", listen)
    return () => removeEventListener("keydown", listen)
  }, [bindings])
  const store = useSession(access, sessionId)
  useListFollowing(store, list)
  const context: PanelContext = {
    access,
    port: access.port,
    may: (role) => may(access, role),
    list,
    store,
    session: store?.model ?? noSession,
  }
  const isCovered = useIsPhone() && openPanel(context, route.value) !== undefined
  return (
    <div class="shell" data-place={sessionId === undefined ? "start" : "session"} data-drawer={panel}>
      <TopBar context={context} isCovered={isCovered} />
      <nav class="sessions" aria-label="Sessions" inert={isCovered}>
        <SessionsColumn list={list} current={sessionId} />
      </nav>
      <main class="session" id="session" data-session={sessionId} inert={isCovered}>
        {store === undefined ? (
          <StartPage context={context} />
        ) : (
          <SessionView key={store.sessionId} store={store} context={context} />
        )}
      </main>
      <Drawer context={context} />
      {isHelpOpen && <Help bindings={bindings} close={() => setHelpOpen(false)} />}
    </div>
  )
}

/** What the open session shows is not older in the list. */
function useListFollowing(store: SessionStore | undefined, list: SessionList): void {
  const model = store?.model.value
  const isInTurn = model?.status.inTurn
  const waiting = model?.requests.approvals.map(({ approvalId }) => approvalId).join(" ")
  useEffect(() => {
    if (isInTurn !== undefined) void list.refresh()
  }, [list, isInTurn, waiting])
}

/** Opened with the address, closed with the next one. */
function useSession(access: Access, sessionId: string | undefined): SessionStore | undefined {
  const { connection } = useConsole()
  const store = useMemo(
    () => (sessionId === undefined ? undefined : new SessionStore(sessionId, access)),
    [access.port, sessionId],
  )
  useEffect(() => {
    if (store === undefined) return undefined
    const unlisten = connection.onLinkChange((changed, state) => {
      if (changed === store.sessionId) store.setLink(state)
    })
    return () => {
      unlisten()
      store.close()
    }
  }, [store])
  return store
}
