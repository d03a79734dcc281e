import { Card, EmptyState, PageHead } from '../parts/page'
import { texts } from '../texts/en'

export function NotFound() {
  return (
    <>
      <PageHead title={texts.common.notFound} />
      <Card>
        <EmptyState icon="search">{texts.common.notFoundText}</EmptyState>
      </Card>
    </>
  )
}
