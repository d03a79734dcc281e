import type { ReactNode } from 'react'
import type { usePages } from '../api/reads'
import { Button } from '../parts/button'
import { type Column, DataTable } from '../parts/data-table'
import type { IconName } from '../parts/icons'
import { Card, EmptyState } from '../parts/page'
import { dayOf, formatLongDay } from '../parts/time-format'

type Dated = { reference: string; createdAt: string }

export type TableWords = {
  caption: string
  empty: string
  emptyFiltered: string
  clearFilters: string
  showNew: (count: number) => string
}

type Props<Row> = {
  list: ReturnType<typeof usePages<Row>>
  columns: Column<Row>[]
  /** The path of the list; the page of a row is below it. */
  pagePath: string
  isFiltered: boolean
  /** Shown while the list is empty, with `create`. */
  icon: IconName
  /** The button that creates a row. Absent if the user may not. */
  create: ReactNode
  /** What stands beside a day, such as a total. */
  besideDay?: (day: string) => ReactNode
  foot?: ReactNode
  words: TableWords
}

/** Resources by the day they were created, each row a link to its page. */
export function TableByDay<Row extends Dated>(props: Props<Row>) {
  const { list, columns, pagePath, isFiltered, icon, create, besideDay, foot, words } = props
  return (
    <Card>
      <DataTable
        caption={words.caption}
        columns={columns}
        list={list}
        keyOf={({ reference }) => reference}
        pathOf={({ reference }) => `${pagePath}/${reference}`}
        groupOf={({ createdAt }) => ({
          key: dayOf(createdAt),
          line: (
            <>
              <b>{formatLongDay(createdAt)}</b>
              {besideDay?.(dayOf(createdAt))}
            </>
          ),
        })}
        newLabel={words.showNew}
        foot={foot}
        empty={
          isFiltered ? (
            <EmptyState icon="search" action={<Button to={pagePath}>{words.clearFilters}</Button>}>
              {words.emptyFiltered}
            </EmptyState>
          ) : (
            <EmptyState icon={icon} action={create}>
              {words.empty}
            </EmptyState>
          )
        }
      />
    </Card>
  )
}
