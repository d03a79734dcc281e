import type { ReactNode } from 'react'
import { toRefusal } from '../api/refusal'
import { Skeleton } from '../parts/page'
import { ErrorPage } from '../parts/refusals'
import { OtherModeHint } from './other-mode-hint'

type Props<Data> = {
  /** The path of the API from which it is read. */
  path: string
  read: { data: Data | null | undefined; error: unknown; refetch: () => unknown }
  /** Heights of the placeholders in the main column, while it is read. */
  heights: readonly number[]
  /** The main column is wider than the other. */
  isWide?: boolean
  children: (data: Data) => ReactNode
}

/** The page of one resource: while it is read, if it does not exist, and once it is read. */
export function ResourcePage<Data>({ path, read, heights, isWide = false, children }: Props<Data>) {
  const { data, error, refetch } = read
  if (data) return children(data)
  if (error && toRefusal(error).status === 404) return <OtherModeHint path={path} />
  if (error) return <ErrorPage error={error} retry={() => void refetch()} />
  return (
    <>
      <div className="page-head">
        <Skeleton height={52} width={360} />
      </div>
      <div className={isWide ? 'with-aside wide-aside' : 'with-aside'}>
        <div className="stack">
          {heights.map((height) => (
            <Skeleton key={height} height={height} />
          ))}
        </div>
        <Skeleton height={300} />
      </div>
    </>
  )
}
