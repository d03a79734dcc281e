import { expect } from 'vitest'
import { sql } from '../../../../src/postgres/sql.js'
import type { Scenario } from '../scenario.js'

export const secretScenarios: Scenario[] = [
  {
    name: 'no key of the provider is in a log or in the database',
    needs: ['has keys'],
    async run({ db, bank, lines, service }) {
      const { secrets } = bank
      expect(secrets.length).toBeGreaterThan(0)
      const isLeaked = (text: string) => secrets.some((secret) => text.includes(secret))
      expect(lines.length).toBeGreaterThan(0)
      expect([...lines, ...service.log].filter(isLeaked)).toEqual([])
      const tables = await db.rows(sql<{ name: string }>`
        select tablename as name from pg_tables where schemaname = 'public'`)
      for (const { name } of tables)
        for (const secret of secrets) {
          const found = await db.rows(sql`
            select from ${sql.identifier(name)} t where strpos(t::text, ${secret}) > 0`)
          expect(found, name).toEqual([])
        }
    },
  },
]
