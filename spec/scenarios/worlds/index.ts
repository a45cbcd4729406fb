// The process behind each door.
import type { Place } from "../../e2e/place.ts"
import type { DoorName } from "../scenario.ts"
import { HouseWorld } from "./house-world.ts"
import { IpcWorld } from "./ipc-world.ts"
import { RpcWorld } from "./rpc-world.ts"
import type { World } from "./world.ts"
import { WsWorld } from "./ws-world.ts"

const worlds: Readonly<Record<DoorName, new (place: Place) => World>> = {
  ws: WsWorld,
  rpc: RpcWorld,
  ipc: IpcWorld,
  house: HouseWorld,
}

export function worldOf(door: DoorName, place: Place): World {
  return new worlds[door](place)
}
