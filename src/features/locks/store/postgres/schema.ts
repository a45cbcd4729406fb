// The tables of the locks that all nodes of a cluster share. Every change locks the only row of `lock_book` first.
import type { Step } from "../../../../postgres/migrate.ts"

export const lockSteps: readonly Step[] = [
  {
    keepsOlder: false,
    sql: `
      create table turnhouse.lock_book (
        id integer primary key check (id = 1),
        name text not null, -- distinguishes its fencing numbers from those of other tables
        fence bigint not null,
        ticket bigint not null,
        version bigint not null -- rises with every change except renewals
      );
      insert into turnhouse.lock_book values (1, substr(gen_random_uuid()::text, 1, 8), 0, 0, 0);
      create table turnhouse.lock_holds (
        fence bigint primary key,
        kind text not null,
        scope text not null,
        place text not null, -- the node or the shared folder that the scope belongs to
        holder text not null,
        node text not null,
        description text not null,
        status text not null,
        is_durable boolean not null, -- held until it is released, not only for a call
        mark text not null, -- in the environment of what the holder starts
        processes jsonb not null, -- those that were started under it
        pid bigint not null,
        start_time text not null,
        boot_id text not null,
        acquired_at bigint not null, -- by the clock of this server
        beat_now bigint not null, -- by the clock of this server
        beat_ticks bigint not null -- by the monotonic clock of the boot
      );
      create table turnhouse.lock_waiters (
        ticket bigint primary key,
        holder text not null,
        requests jsonb not null,
        node text not null,
        description text not null,
        queued_at bigint not null,
        pid bigint not null,
        start_time text not null,
        boot_id text not null,
        beat_now bigint not null,
        beat_ticks bigint not null
      );
      create table turnhouse.lock_losses (
        fence bigint primary key -- the newest holds that were revoked
      );
    `,
  },
]
