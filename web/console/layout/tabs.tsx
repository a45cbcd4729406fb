// The panels as links. Where they do not fit beside each other, the current one is scrolled into view.
import { useEffect, useRef } from "preact/hooks"
import { panels } from "../panels/table.ts"
import type { PanelContext } from "../panels/panel.ts"
import { useConsole } from "../state/console.ts"
import { routeHash } from "../state/route.ts"

interface TabsProps {
  readonly context: PanelContext
  readonly label: string
}

export function Tabs({ context, label }: TabsProps) {
  const route = useConsole().route.value
  const current = useRef<HTMLAnchorElement>(null)
  const offered = panels.filter((panel) => panel.isOffered(context))
  useEffect(() => current.current?.scrollIntoView({ block: "nearest", inline: "nearest" }), [route.panel])
  return (
    <nav class="tabs" aria-label={label}>
      {offered.map(({ name, title }) => (
        <a
          key={name}
          ref={route.panel === name ? current : null}
          href={routeHash({ ...route, panel: name })}
          data-panel={name}
          aria-current={route.panel === name ? "true" : undefined}
        >
          {title}
        </a>
      ))}
    </nav>
  )
}
