// The panels of the drawer in the order of their tabs, one line each.
import type { Panel, PanelContext } from "./panel.ts"

const hasSession = ({ store }: PanelContext): boolean => store !== undefined
/** The host refuses the rest to keys of one session and of other people. */
const isOwner = ({ access }: PanelContext): boolean => access.roles === undefined

/** The owner and staff of an organisation. Share links open sessions, not documents. */
const isMember = ({ access }: PanelContext): boolean =>
  access.roles === undefined || !access.caller.principal.startsWith("lnk_")

export const panels: readonly Panel[] = [
  { name: "agents", title: "Agents", isOffered: hasSession, load: async () => (await import("./agents.tsx")).Agents },
  {
    name: "timeline",
    title: "Timeline",
    isOffered: hasSession,
    load: async () => (await import("./timeline.tsx")).Timeline,
  },
  { name: "cost", title: "Cost", isOffered: hasSession, load: async () => (await import("./cost.tsx")).Cost },
  { name: "audit", title: "Audit", isOffered: hasSession, load: async () => (await import("./audit.tsx")).Audit },
  { name: "people", title: "People", isOffered: hasSession, load: async () => (await import("./people.tsx")).People },
  { name: "usage", title: "Usage", isOffered: () => true, load: async () => (await import("./usage.tsx")).Usage },
  {
    name: "documents",
    title: "Documents",
    isOffered: isMember,
    load: async () => (await import("./documents/documents.tsx")).Documents,
  },
  { name: "locks", title: "Locks", isOffered: isOwner, load: async () => (await import("./locks.tsx")).Locks },
  {
    name: "programs",
    title: "Programs",
    isOffered: isOwner,
    load: async () => (await import("./programs.tsx")).Programs,
  },
  {
    name: "settings",
    title: "Settings",
    isOffered: isOwner,
    load: async () => (await import("./settings.tsx")).Settings,
  },
]
