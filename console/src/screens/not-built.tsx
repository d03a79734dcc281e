import { Card, EmptyState } from '../parts/page'
import { texts } from '../texts/en'

export function Screen() {
  return (
    <Card>
      <EmptyState icon="clock">{texts.common.notBuilt}</EmptyState>
    </Card>
  )
}
