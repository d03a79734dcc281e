import { EmptyPage } from '../parts/page'
import { texts } from '../texts/en'

export const NotFound = () => (
  <EmptyPage title={texts.common.notFound} icon="search">
    {texts.common.notFoundText}
  </EmptyPage>
)
