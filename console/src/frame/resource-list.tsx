import type { ReactNode } from 'react'
import { usePages } from '../api/reads'
import { useMay } from '../api/session'
import type { Column } from '../parts/data-table'
import { ExportButton } from '../parts/export-button'
import { type Filter, Filters, useFilters } from '../parts/filters'
import type { IconName } from '../parts/icons'
import { LiveBadge } from '../parts/live-badge'
import { PageHead } from '../parts/page'
import { TableByDay, type TableWords } from './table-by-day'

type Props<Row> = {
  /** The area of the console that the list is a tab of. */
  area: { title: string; tabs: ReactNode }
  /** The path of the API from which rows are read. */
  path: string
  /** The path of this page; the page of a row is below it. */
  pagePath: string
  fileName: string
  filters: Filter[]
  columns: Column<Row>[]
  /** Shown while the list is empty. */
  icon: IconName
  /** The button that creates a row. Absent if the user may not. */
  create: ReactNode
  words: TableWords & { title: string }
}

/** A list of resources by day, with filters, export and a button that creates one. */
export function ResourceList<Row extends { reference: string; createdAt: string }>({
  area,
  path,
  pagePath,
  fileName,
  filters,
  columns,
  icon,
  create,
  words,
}: Props<Row>) {
  const { values, change } = useFilters(filters)
  const list = usePages<Row>(path, values)
  const mayExport = useMay('exports.make')
  return (
    <>
      <PageHead
        title={area.title}
        tab={`${words.title} · ${area.title}`}
        actions={
          <>
            {mayExport && <ExportButton path={path} filters={values} fileName={fileName} />}
            {create}
          </>
        }
      />
      {area.tabs}
      <Filters filters={filters} values={values} onChange={change}>
        <LiveBadge className="push-end desktop-only" />
      </Filters>
      <TableByDay
        list={list}
        columns={columns}
        pagePath={pagePath}
        isFiltered={Object.keys(values).length > 0}
        icon={icon}
        create={create}
        words={words}
      />
    </>
  )
}
