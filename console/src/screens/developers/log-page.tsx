import './deliveries.css'
import type { ReactNode } from 'react'
import { usePages } from '../../api/reads'
import { useMay } from '../../api/session'
import { CopyBlock } from '../../parts/code'
import { type Column, DataTable } from '../../parts/data-table'
import { ExportButton } from '../../parts/export-button'
import { type Filter, Filters, useFilters } from '../../parts/filters'
import type { IconName } from '../../parts/icons'
import { Card, EmptyState, PageHead } from '../../parts/page'

type Props<Row> = {
  title: string
  under?: ReactNode
  /** The path of the API, which also exports it. */
  path: string
  fileName: string
  filters: Filter[]
  columns: Column<Row>[]
  words: { caption: string; noMatches: string; empty: string }
  newLabel: (count: number) => string
  pathOf: (row: Row) => string
  /** Before the first row: a command that makes one. */
  icon: IconName
  command: string
  limit?: number
}

/** A log for developers, newest first: events, or requests. */
export function LogPage<Row extends { id: string }>(props: Props<Row>) {
  const { title, under, path, fileName, filters, columns, words, newLabel, pathOf } = props
  const mayExport = useMay('exports.make')
  const { values, change, isFiltered } = useFilters(filters)
  const list = usePages<Row>(path, values, { limit: props.limit ?? 25, keyOfRow: ({ id }) => id })
  return (
    <>
      <PageHead
        title={title}
        under={under}
        actions={mayExport && <ExportButton path={path} filters={values} fileName={fileName} />}
      />
      <Filters filters={filters} values={values} onChange={change} isLive />
      <Card className="logs">
        <DataTable
          caption={words.caption}
          columns={columns}
          list={list}
          keyOf={({ id }) => id}
          pathOf={pathOf}
          newLabel={newLabel}
          empty={
            isFiltered ? (
              <EmptyState icon="search">{words.noMatches}</EmptyState>
            ) : (
              <EmptyState
                icon={props.icon}
                action={
                  <div style={{ minWidth: 'min(420px, 100%)', textAlign: 'start' }}>
                    <CopyBlock text={props.command} />
                  </div>
                }
              >
                {words.empty}
              </EmptyState>
            )
          }
        />
      </Card>
    </>
  )
}
