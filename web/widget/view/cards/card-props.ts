// What every card gets.
import type { CardLine } from "../../state/lines.ts"
import type { WidgetView } from "../widget-view.ts"

export interface CardProps {
  readonly line: CardLine
  readonly view: WidgetView
}
