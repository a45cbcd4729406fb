// The right column: panels as tabs. On a phone it covers the page.
import type { ComponentType } from "preact"
import { useEffect, useState } from "preact/hooks"
import { panels } from "../panels/table.ts"
import type { Panel, PanelContext } from "../panels/panel.ts"
import { useConsole } from "../state/console.ts"
import { navigate, type Route } from "../state/route.ts"
import { useDrawerFocus } from "./drawer-focus.ts"
import { Tabs } from "./tabs.tsx"

export function Drawer({ context }: { readonly context: PanelContext }) {
  const route = useConsole().route.value
  const chosen = openPanel(context, route)
  useDrawerFocus(chosen?.name)
  if (chosen === undefined) return null
  const close = () => navigate({ ...route, panel: undefined })
  return (
    <aside class="drawer" aria-label={chosen.title} onKeyDown={(event) => event.key === "Escape" && close()}>
      <header>
        <h2 tabIndex={-1}>{chosen.title}</h2>
        <Tabs context={context} label="Open panels" />
        <button type="button" class="icon" aria-label="Close the drawer" onClick={close}>
          ×
        </button>
      </header>
      <div class="drawer-body">
        <PanelBody key={chosen.name} panel={chosen} context={context} />
      </div>
    </aside>
  )
}

/** The one that the address names, where it is offered. */
export function openPanel(context: PanelContext, { panel }: Pick<Route, "panel">): Panel | undefined {
  return panels.find((one) => one.name === panel && one.isOffered(context))
}

function PanelBody({ panel, context }: { readonly panel: Panel; readonly context: PanelContext }) {
  const [loaded, setLoaded] = useState<{ readonly Body: ComponentType<PanelContext> } | string | undefined>()
  useEffect(() => {
    let isCurrent = true
    panel.load().then(
      (Body) => isCurrent && setLoaded({ Body }),
      () => isCurrent && setLoaded("This part could not be loaded. Check the connection and reload the page."),
    )
    return () => {
      isCurrent = false
    }
  }, [panel])
  if (loaded === undefined) return null
  return typeof loaded === "string" ? <p role="alert">{loaded}</p> : <loaded.Body {...context} />
}
