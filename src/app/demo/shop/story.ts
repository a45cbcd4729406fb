// The third story: a visitor of a shop's chat, over the WebSocket API.
import { chmodSync, cpSync, globSync, readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { shopFolder } from "../../../program/program-files.ts"
import { oneLine } from "../../../contract/text/text.ts"
import type { Citation } from "../../../clients/ws/index.ts"
import { answerApproval } from "../answer-approval.ts"
import { MailSink } from "./mail-sink.ts"
import { pageOf } from "../offer-ways.ts"
import { programName } from "../program-name.ts"
import type { RunningStory, Story } from "../story.ts"
import { StoryHost } from "../story-host.ts"
import { serverUrl } from "../../serve/server-note.ts"
import { AppFault } from "../../app-fault.ts"
import { firstOf, Visitor, visitorEmail } from "./visitor.ts"
import { WatchedSession } from "../watched-session.ts"
import type { Workspace } from "../workspace.ts"

interface ShopState {
  readonly visitor: Visitor
  readonly mail: MailSink
  readonly session: WatchedSession
}

const staffFile = "goodwill.md"
/** A word that no visitor may read. It streams in one piece, so a search in the frames finds it. */
const staffWord = "Kolibri"
const staffDocument = `# Goodwill

Staff may give a goodwill refund of up to 15 euros without asking. Its code word is ${staffWord}.
`
const org = ["--org", "public"]
const receipts = "turnhouse-shop-refunds"

export const shopStory: Story<ShopState> = {
  name: "shop",
  title: "a shop answers its visitors",
  summary:
    "A visitor asks about an order, proves who she is and wants her money back. You are the staff, and approve the refund.",
  prepare,
  steps: [
    {
      title: "An answer with its source",
      real: "the documents, the search, the citation, which is checked against the file.",
      scripted: "the model quotes the best sentence instead of writing one.",
      run: cite,
    },
    {
      title: "A document for staff only",
      real: "access rights are applied before the search. Every frame that the visitor gets is looked at.",
      scripted: "the question of the visitor.",
      run: askForStaffDocument,
    },
    {
      title: "A one-time code",
      real: "the code, its mail over SMTP to a mail server of this story, and three attempts at most.",
      scripted: "the visitor, who types a wrong code first.",
      run: verifyVisitor,
    },
    {
      title: "A refund for you to approve, over a lost connection",
      real: "the connection of the visitor is cut while the refund waits for you. The receipt is a file.",
      scripted: "the visitor, who sends no message twice and knows nothing of all this.",
      run: refund,
    },
    {
      title: "The record",
      real: "the export, its hash chain and its signature.",
      scripted: "nothing.",
      run: checkRecord,
    },
  ],
}

async function prepare({ output, workspace }: RunningStory): Promise<ShopState> {
  const mail = await MailSink.open()
  workspace.onClose(() => mail.close())
  copyShop(workspace, mail.url)
  await workspace.turnhouse(["knowledge", "add", workspace.path("shop/knowledge"), ...org])
  await workspace.turnhouse(["knowledge", "add", workspace.path("staff"), ...org, "--audience", "staff"])
  const serve = ["serve", "--port", "0", "--quiet", "--config", workspace.path("shop/turnhouse.json")]
  const host = await StoryHost.start(workspace, serve, workspace.path("shop"))
  const url = serverUrl(workspace.home)
  if (url === undefined) throw new AppFault("the server of the story has no address")
  const visitor = await Visitor.connect(url)
  workspace.onClose(() => visitor.close())
  const session = await WatchedSession.open(host, visitor.session.conversationId, () => {})
  workspace.onClose(() => session.end())
  output.follow({ home: workspace.home, sessionId: session.id, page: await pageOf(workspace, url, session.id) })
  return { visitor, mail, session }
}

/** The example as it is; what the story adds is in the configuration of the home. */
function copyShop(workspace: Workspace, mailUrl: string): void {
  const folder = workspace.path("shop")
  cpSync(shopFolder, folder, { recursive: true })
  for (const program of globSync("*.mjs", { cwd: folder })) chmodSync(join(folder, program), 0o755)
  workspace.write(`staff/${staffFile}`, staffDocument)
  workspace.writeJson("home/config.json", {
    knowledge: { embeddings: "off" },
    approvals: { wait: 3600 },
    tools: { endUser: ["lookup_order"], approve: ["refund_order"] },
    otp: { transport: { type: "smtp", url: mailUrl }, from: "The shop <noreply@shop.example>" },
  })
}

async function cite(story: RunningStory, { visitor }: ShopState): Promise<void> {
  const { citations } = await converse(story, visitor, "How many days do I have to return something?")
  const [first] = citations
  const file = join(shopFolder, "knowledge", "returns.md")
  for (const { title, snippet } of citations.slice(0, 1))
    story.output.message("source", `${title}: "${oneLine(snippet, Infinity)}"`)
  const isLiteral = first !== undefined && readFileSync(file, "utf8").includes(first.snippet)
  story.verify("the answer cites returns.md, and the quotation is in that file letter by letter", isLiteral, first)
}

async function askForStaffDocument(story: RunningStory, { visitor }: ShopState): Promise<void> {
  const question = "Which goodwill refund may the staff give without asking?"
  const { citations } = await converse(story, visitor, question)
  const found = citations.map(({ title }) => title)
  story.verify("no citation names the document of the staff", !found.includes(staffFile), found)
  const frames = visitor.framesWith(staffWord)
  story.verify(`none of the ${visitor.frameCount} frames that she got contains its code word`, frames === 0, frames)
  const args = ["knowledge", "search", question, ...org, "--audience", "staff", "--limit", "1"]
  const { stdout } = await story.workspace.turnhouse(args)
  story.output.command(
    `${programName()} ${args.map((word) => (word.includes(" ") ? `"${word}"` : word)).join(" ")}`,
    stdout,
  )
  story.verify("for the staff the same question finds it", stdout.includes(staffWord), stdout)
}

async function verifyVisitor(story: RunningStory, { visitor, mail }: ShopState): Promise<void> {
  const { output } = story
  const text = "lookup order 1002"
  output.message("Jane", text)
  const turn = visitor.session.send(text)
  const sent = await firstOf(turn, "code-sent")
  output.message("shop", `A code was sent to ${sent?.destination ?? "no address"}.`)
  const letter = await output.progress("waiting for the mail", mail.next())
  const code = /\b\d{6}\b/.exec(letter.slice(letter.indexOf("\n\n")))?.[0] ?? ""
  story.verify(
    `the mail server has a mail for ${visitorEmail} with a code`,
    letter.includes(visitorEmail) && code !== "",
    letter,
  )
  const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, "0")
  output.message("Jane", `types ${wrong}`)
  const first = await visitor.session.verify(wrong)
  story.verify("a wrong code is refused, and two attempts are left", isLeft(first, 2), first)
  output.message("Jane", `types ${code}`)
  const second = await visitor.session.verify(code)
  const { text: reply } = await turn.result
  output.message("shop", reply)
  story.verify(
    "with the right code the same turn goes on to the order",
    second.isVerified && reply.includes("two mugs"),
    reply,
  )
}

function isLeft(outcome: Awaited<ReturnType<Visitor["session"]["verify"]>>, attempts: number): boolean {
  return !outcome.isVerified && outcome.attemptsRemaining === attempts
}

async function refund(story: RunningStory, { visitor, session }: ShopState): Promise<void> {
  const { output, workspace } = story
  const text = "refund order 1002"
  output.message("Jane", text)
  const turn = visitor.session.send(text)
  const { event } = await session.next("approval.requested")
  const lost = new Promise<void>((resolve) => {
    visitor.session.on("state", ({ kind }) => (kind === "reconnecting" ? resolve() : undefined))
  })
  visitor.relay.cut()
  await lost
  story.verify(
    "the connection of the visitor is lost while the refund waits for you",
    !visitor.session.isConnected,
    "connected",
  )
  await answerApproval(story, session, event.approvalId)
  const done = await session.next("tool.ended", { where: ({ callId }) => callId === event.callId })
  story.verify(
    "the refund was made while she was away",
    done.event.outcome === "done" && !visitor.session.isConnected,
    done,
  )
  visitor.relay.restore()
  const { text: reply } = await output.progress("the visitor reconnects", turn.result)
  output.message("shop", reply)
  story.verify("she got the answer to her one message, without an error", reply.includes("18.00 EUR"), reply)
  const files = readdirSync(workspace.path("tmp", receipts))
  story.verify("there is one receipt", files.length === 1, files)
  const { messages } = await visitor.session.messages()
  const own = messages.filter((message) => JSON.stringify(message).includes(text))
  story.verify("her message is stored once", own.length === 1, own)
}

async function checkRecord(story: RunningStory, { session }: ShopState): Promise<void> {
  const { output, workspace } = story
  const file = workspace.path("visit.ndjson")
  for (const args of [
    ["export", session.id, "visit.ndjson"],
    ["verify", "visit.ndjson"],
  ]) {
    const { code, stdout } = await workspace.turnhouse(args)
    output.command(`${programName()} ${args.join(" ")}`, stdout)
    story.verify(`${args[0]} succeeds`, code === 0, stdout)
  }
  workspace.write("changed.ndjson", readFileSync(file, "utf8").replace("18.00 EUR", "81.00 EUR"))
  const { code, stderr } = await workspace.turnhouse(["verify", "changed.ndjson"])
  output.command(
    `sed 's/18.00 EUR/81.00 EUR/' visit.ndjson > changed.ndjson; ${programName()} verify changed.ndjson`,
    stderr,
  )
  story.verify("a file in which one amount was changed is refused", code !== 0, code)
}

interface Reply {
  readonly text: string
  readonly citations: readonly Citation[]
}

async function converse({ output }: RunningStory, visitor: Visitor, text: string): Promise<Reply> {
  output.message("Jane", text)
  const result = await visitor.session.send(text).result
  output.message("shop", result.text)
  return result
}
