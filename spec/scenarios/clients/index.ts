// Who comes in through which door.
import type { DoorName } from "../scenario.ts"
import type { Guest } from "./client.ts"
import { HouseGuest } from "./house-client.ts"
import { IpcGuest } from "./ipc-client.ts"
import type { Connect } from "./listener.ts"
import { RpcGuest } from "./rpc-client.ts"
import { WsGuest } from "./ws-client.ts"

const guests: Readonly<Record<DoorName, new (connect: Connect, folder: string) => Guest>> = {
  ws: WsGuest,
  rpc: RpcGuest,
  ipc: IpcGuest,
  house: HouseGuest,
}

/** `folder` is where a session that a guest makes is to live. */
export async function arrive(door: DoorName, connect: Connect, folder: string): Promise<Guest> {
  const guest = new guests[door](connect, folder)
  await guest.comeBack()
  return guest
}
