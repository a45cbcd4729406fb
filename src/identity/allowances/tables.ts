// The tables of allowances in PostgreSQL. The use of nodes is of no value after a crash of the server, so it is unlogged.
import type { Step } from "../../postgres/migrate.ts"

export const allowanceTables: readonly Step[] = [
  {
    sql: `
      create table turnhouse.session_allowances (
        account text primary key,
        remaining double precision not null,
        at bigint not null
      );
      create index session_allowances_by_time on turnhouse.session_allowances (at);
      create unlogged table turnhouse.using_nodes (
        node text primary key,
        publication bigint not null, -- the newest
        at bigint not null
      );
      create unlogged table turnhouse.account_use (
        node text not null references turnhouse.using_nodes on delete cascade,
        account text not null,
        active integer not null, -- connections of a caller, turns of an organisation
        frames bigint not null,
        publication bigint not null,
        primary key (node, account)
      );
      create index account_use_by_publication on turnhouse.account_use (node, publication);
    `,
    keepsOlder: true,
  },
]
