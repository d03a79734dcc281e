import { EmptyPage } from '../parts/page'
import { commonTexts } from '../texts/common'

export const NotFound = () => (
  <EmptyPage title={commonTexts.notFound} icon="search">
    {commonTexts.notFoundText}
  </EmptyPage>
)
