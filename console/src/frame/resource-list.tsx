import type { ReactNode } from 'react'
import type { usePages } from '../api/reads'
import { useMay } from '../api/session'
import { Button } from '../parts/button'
import { type Column, DataTable } from '../parts/data-table'
import { ExportButton } from '../parts/export-button'
import { type Filter, Filters, type useFilters } from '../parts/filters'
import type { IconName } from '../parts/icons'
import { Card, EmptyState, PageHead } from '../parts/page'
import { dayOf, formatLongDay } from '../parts/time-format'

type Props<Row> = {
  title: string
  /** Name of the browser tab, if the title is that of the whole area. */
  tab?: string
  /** The path of the API, which also exports it. */
  path: string
  /** The path of this page; the page of a row is below it. */
  pagePath: string
  fileName: string
  filters: Filter[]
  filtering: ReturnType<typeof useFilters>
  list: ReturnType<typeof usePages<Row>>
  columns: Column<Row>[]
  /** Shown while the list is empty, with `create`. */
  icon: IconName
  /** The button that creates a row. Absent if the user may not. */
  create: ReactNode
  /** Above the filters, such as tabs. */
  children?: ReactNode
  /** What stands beside a day, such as a total. */
  besideDay?: (day: string) => ReactNode
  foot?: ReactNode
  words: {
    caption: string
    empty: string
    emptyFiltered: string
    clearFilters: string
    showNew: (count: number) => string
  }
}

/** Resources by the day they were created, with filters and export. A row links to its page. */
export function ResourceList<Row extends { reference: string; createdAt: string }>(
  props: Props<Row>,
) {
  const { title, tab, path, pagePath, fileName, filters, list, create, besideDay, words } = props
  const { values, change, isFiltered } = props.filtering
  const mayExport = useMay('exports.make')
  return (
    <>
      <PageHead
        title={title}
        {...(tab && { tab })}
        actions={
          <>
            {mayExport && <ExportButton path={path} filters={values} fileName={fileName} />}
            {create}
          </>
        }
      />
      {props.children}
      <Filters filters={filters} values={values} onChange={change} isLive />
      <Card>
        <DataTable
          caption={words.caption}
          columns={props.columns}
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
          foot={props.foot}
          empty={
            isFiltered ? (
              <EmptyState
                icon="search"
                action={<Button to={pagePath}>{words.clearFilters}</Button>}
              >
                {words.emptyFiltered}
              </EmptyState>
            ) : (
              <EmptyState icon={props.icon} action={create}>
                {words.empty}
              </EmptyState>
            )
          }
        />
      </Card>
    </>
  )
}
