// Records the root of a tree for this folder: `node spec/recorded-logs/record-tree.ts 0.1.0-tree`. It drives the real
// program with the offline demo: an agent that requests an approval, a host that is killed during a turn, a tree that
// is hibernated and woken.
import { ownerOf } from "../cli/live.ts"
import { objects } from "../e2e/printed.ts"
import { command, place, record } from "./recording.ts"

const [, , name] = process.argv
if (name === undefined) throw new Error("name what is recorded, such as 0.1.0-tree")

async function logHas(id: string, text: string): Promise<void> {
  while (!(await command("log", id, "--json")).includes(text));
}

async function idle(id: string): Promise<void> {
  const isIdle = ({ id: listed, activity }: Record<string, unknown>) => listed === id && activity === "idle"
  while (!objects(await command("ls", "--json")).some(isIdle));
}

async function play(): Promise<string> {
  const id = await command("new", "--name", "tree", "--alias", "ticket-7")
  const say = (text: string) => command("run", "--session", id, "--detach", text)
  await say("ask an agent to run `date >stamp`")
  await logHas(id, '"child.asked"')
  const [asked] = objects(await command("approvals", "--json"))
  await command("approve", String(asked?.["id"]))
  await logHas(id, '"child.ended"')
  await idle(id)
  await say("who are you?")
  await logHas(id, '"text.streamed"')
  process.kill(await ownerOf(place, id), "SIGKILL")
  await logHas(id, '"turn.adopted"')
  await idle(id)
  await command("hibernate", id)
  await command("resume", id)
  await command("stop", id)
  return id
}

await record(name, play)
