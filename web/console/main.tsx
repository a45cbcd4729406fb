// Starts the console: one page that is a client of the native API.
import { render } from "preact"
import "./styles/base.css"
import "../shared/styles/markdown.css"
import "../shared/styles/text.css"
import "./styles/layout.css"
import "./styles/session.css"
import "./styles/sessions.css"
import "./styles/panels.css"
import { App } from "./app.tsx"
import { createConsole } from "./state/console.ts"

const root = document.getElementById("app")
if (root === null) throw new Error("the page has no element #app")
render(<App console={createConsole()} />, root)
