// The tables of the log in PostgreSQL. Changed only by a further step; the first ones are never edited, because databases of
// earlier releases have them.
import type { Step } from "../../postgres/migrate.ts"

const first = `
  create table turnhouse.hosts (
    epoch bigint generated always as identity primary key, -- never reused
    host_id text not null unique,
    role text not null,
    pid bigint not null,
    start_time text not null,
    boot_id text not null,
    node text not null,
    labels text[] not null, -- places of sessions that the node can run
    release text not null,
    expires_at bigint not null -- milliseconds, by the clock of the server
  );
  create table turnhouse.sessions (
    number bigint generated always as identity primary key,
    session_id text not null unique,
    created_at double precision not null,
    updated_at double precision not null,
    seq bigint not null,
    head text not null, -- hash of the newest event
    owner_epoch bigint, -- 0: left open by a host that has gone
    summary text not null, -- JSON; not jsonb, which refuses some characters
    org text,
    owner text,
    place text -- label of the nodes that can run it; null: any
  ) with (fillfactor = 60); -- an append updates a row in place
  create index sessions_owned on turnhouse.sessions (owner_epoch) where owner_epoch is not null;
  create index sessions_of_org on turnhouse.sessions (org, owner);
  create table turnhouse.events (
    session bigint not null,
    seq bigint not null,
    hash text not null,
    text text not null,
    primary key (session, seq)
  );
  create table turnhouse.snapshots (
    session bigint not null,
    seq bigint not null,
    hash text not null,
    value text not null,
    primary key (session, seq)
  );
  create table turnhouse.streamed (
    id bigint generated always as identity primary key,
    session bigint not null,
    step_id text not null,
    piece text not null,
    hash text not null,
    blocks text not null,
    unique (session, piece)
  );
  create table turnhouse.visits (
    visit_id text primary key,
    session bigint not null,
    seq bigint not null
  );
  create index visits_of_session on turnhouse.visits (session);
`

/** A session whose new owner has not opened it yet. */
const handingOver = `
  alter table turnhouse.sessions add column handed_over boolean not null default false;
  create index sessions_handed_over on turnhouse.sessions (owner_epoch) where handed_over;
`

export const logSteps: readonly Step[] = [
  { sql: first, keepsOlder: false },
  { sql: handingOver, keepsOlder: true },
]

/** Epoch of no host: the owner of a session that was left open. */
export const LEFT_OPEN_EPOCH = 0
