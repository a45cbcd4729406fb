// The client of each door.
import type { DoorName } from "../scenario.ts"
import type { ScenarioClient } from "./client.ts"
import { HouseClient } from "./house-client.ts"
import { IpcClient } from "./ipc-client.ts"
import type { Connect } from "./client-base.ts"
import { RpcClient } from "./rpc-client.ts"
import { WsClient } from "./ws-client.ts"

const clients: Readonly<Record<DoorName, new (connect: Connect, folder: string) => ScenarioClient>> = {
  ws: WsClient,
  rpc: RpcClient,
  ipc: IpcClient,
  house: HouseClient,
}

/** `folder` is the folder of a session that the client creates. */
export async function connectClient(door: DoorName, connect: Connect, folder: string): Promise<ScenarioClient> {
  const client = new clients[door](connect, folder)
  await client.connect()
  return client
}
