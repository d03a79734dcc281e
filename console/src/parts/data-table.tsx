import { commonTexts } from '../texts/common'
import './data-table.css'
import { Link, useNavigate } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import { Button } from './button'
import { SkeletonRows } from './page'
import { ErrorState } from './refusals'
import { splitPath } from './split-path'

export type Column<Row> = {
  /** Unique within the table. */
  name: string
  head: ReactNode
  cell: (row: Row) => ReactNode
  align?: 'end'
  /** Takes the space that is left, and cuts its text. At most one column. */
  isGrowing?: boolean
  /** In the colour of what matters less. */
  isSoft?: boolean
  /** Hidden below 1020 px. */
  isWideOnly?: boolean
  /** Where the cell is on a phone: 1 and 2 on the first line, 3 and 4 on the second; else hidden. */
  phone?: 1 | 2 | 3 | 4
  /** Phones show the head before the cell: a number alone says nothing. */
  hasPhoneHead?: boolean
  /** The cell that links to `pathOf(row)`. By default the first with `phone: 1`. */
  isLink?: boolean
}

type List<Row> = {
  rows: Row[]
  newCount?: number
  showNew?: () => void
  hasMore?: boolean
  loadMore?: () => void
  isLoadingMore?: boolean
  isLoading?: boolean
  error?: unknown
  retry?: () => void
}

type Props<Row> = {
  /** For screen readers, such as "Payments, newest first". */
  caption: string
  columns: Column<Row>[]
  /** The answer of `usePages`, or just `{ rows }`. */
  list: List<Row>
  keyOf: (row: Row) => string
  /** A path of the console that the row opens; undefined if it has no page. */
  pathOf?: (row: Row) => string | undefined
  /** Rows with the same group are under one line, such as a day. */
  groupOf?: (row: Row) => { key: string; line: ReactNode }
  empty: ReactNode
  newLabel?: (count: number) => string
  /** Left of "Load more". */
  foot?: ReactNode
  /** Under a row, across all columns. */
  detailOf?: (row: Row) => ReactNode
}

/** A list of rows: a table, and two lines a row on phones. `j` and `k` walk through the links. */
export function DataTable<Row>(props: Props<Row>) {
  const { caption, columns, list, keyOf, pathOf, groupOf, empty, newLabel, foot, detailOf } = props
  const navigate = useNavigate()
  if (list.isLoading) return <SkeletonRows />
  if (list.error && list.rows.length === 0)
    return <ErrorState error={list.error} {...(list.retry && { retry: list.retry })} />
  const { newCount = 0, showNew } = list
  const link = columns.find(({ isLink }) => isLink) ?? columns.find(({ phone }) => phone === 1)
  let group: string | undefined
  return (
    <>
      <div role="status">
        {newCount > 0 && list.rows.length > 0 && (
          <button type="button" className="new-rows" onClick={showNew}>
            {(newLabel ?? commonTexts.showNew)(newCount)}
          </button>
        )}
      </div>
      {list.rows.length === 0 ? (
        empty
      ) : (
        <table className="table">
          <caption className="hidden">{caption}</caption>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column.name} className={classOf(column)} scope="col">
                  {column.head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {list.rows.map((row) => {
              const path = pathOf?.(row)
              const current = groupOf?.(row)
              const isNewGroup = current !== undefined && current.key !== group
              group = current?.key
              const detail = detailOf?.(row)
              return (
                <Fragment key={keyOf(row)}>
                  {isNewGroup && (
                    <tr className="group-line">
                      <td colSpan={columns.length} className="phone-1">
                        {current.line}
                      </td>
                    </tr>
                  )}
                  <tr
                    className={path ? 'opens' : ''}
                    onClick={(event) => {
                      const isOwn = (event.target as Element).closest('a,button,input,label')
                      const hasSelection = String(window.getSelection()) !== ''
                      if (path && !isOwn && !hasSelection) void navigate(splitPath(path))
                    }}
                  >
                    {columns.map((column) => (
                      <td
                        key={column.name}
                        className={`${classOf(column)}${column.isSoft ? ' soft' : ''} phone-${column.phone ?? 'hidden'}`}
                      >
                        {column.hasPhoneHead && (
                          <span className="phone-only soft">{column.head}: </span>
                        )}
                        {path && column === link ? (
                          <Link {...splitPath(path)} data-row="">
                            {column.cell(row)}
                          </Link>
                        ) : (
                          column.cell(row)
                        )}
                      </td>
                    ))}
                  </tr>
                  {detail && (
                    <tr className="detail">
                      <td colSpan={columns.length} className="phone-1">
                        {detail}
                      </td>
                    </tr>
                  )}
                </Fragment>
              )
            })}
          </tbody>
        </table>
      )}
      {(foot || list.hasMore) && list.rows.length > 0 && (
        <div className="card-head top-line">
          <span className="soft small">{foot}</span>
          {list.hasMore && (
            <Button size="small" isBusy={list.isLoadingMore} onClick={list.loadMore}>
              {commonTexts.loadMore}
            </Button>
          )}
        </div>
      )}
    </>
  )
}

function classOf<Row>({ align, isGrowing, isWideOnly }: Column<Row>): string {
  return [align === 'end' && 'align-end', isGrowing && 'grow', isWideOnly && 'wide-only']
    .filter(Boolean)
    .join(' ')
}
