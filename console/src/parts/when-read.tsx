import type { ReactNode } from 'react'
import { Card, Skeleton } from './page'
import { ErrorState } from './refusals'

type Props<Data> = {
  read: { data: Data | null | undefined; error: unknown; refetch: () => unknown }
  /** In the place of the data while it loads. */
  placeholder?: ReactNode
  /** Not inside a card: a failure has one of its own. */
  hasCard?: boolean
  children: (data: Data) => ReactNode
}

/** Shows a read while it loads or fails, and its data after that. */
export function WhenRead<Data>(props: Props<Data>) {
  const { read, placeholder = <FormSkeleton />, hasCard, children } = props
  const { data, error, refetch } = read
  if (data !== undefined && data !== null) return children(data)
  if (!error) return placeholder
  const state = <ErrorState error={error} retry={() => void refetch()} />
  return hasCard ? <Card>{state}</Card> : state
}

const FormSkeleton = () => (
  <Card isPadded>
    <div className="stack" aria-busy="true">
      <Skeleton height={20} width="30%" />
      <Skeleton height={36} />
      <Skeleton height={36} />
      <Skeleton height={36} />
    </div>
  </Card>
)
