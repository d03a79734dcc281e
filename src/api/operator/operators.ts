import { prefixes, toReference } from '../../base/ids.js'
import { limits } from '../../base/limits.js'
import { sql } from '../../postgres/sql.js'
import type { Route } from '../server/route.js'
import type { OperatorParts } from './operator-parts.js'
import { operatorRoute } from './operator-route.js'

type Row = {
  id: string
  name: string
  email: string
  createdAt: Date
  disabledAt: Date | null
  lastSeenAt: Date | null
}

/** The people who run the installation. */
export function operatorListRoutes({ db }: OperatorParts): Route[] {
  const list = operatorRoute({
    method: 'GET',
    path: '/operators',
    operation: 'listOperators',
    summary: 'Operators',
    async handle({ actor }) {
      const rows = await db.rows(sql<Row>`
        select u.id, u.name, u.email, u.created_at,
          u.disabled_at, (select max(s.last_seen_at) from user_sessions s
            where s.user_id = u.id) as last_seen_at
        from users u where u.is_operator
        order by u.disabled_at is not null, u.name, u.id limit ${limits.operator.rowsListedMax}`)
      const ownId = actor.kind === 'user' ? actor.userId : ''
      return {
        items: rows.map(({ id, ...row }) => ({
          id: toReference(prefixes.user, id),
          ...row,
          isYou: id === ownId,
        })),
      }
    },
  })
  return [list]
}
