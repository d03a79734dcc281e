import { useQuery } from '@tanstack/react-query'
import { type Mode, useScope, writeScope } from '../api/scope'
import { useMembership } from '../api/session'
import { Button } from '../parts/button'
import { EmptyPage } from '../parts/page'
import { commonTexts } from '../texts/common'

/** Nothing has this reference here. If the other mode has it, offers to switch. */
export function OtherModeHint({ path }: { path: string }) {
  const { merchant, mode } = useScope()
  const other: Mode = mode === 'test' ? 'live' : 'test'
  const maySwitch = useMembership()?.permissions[other].length !== 0
  const { data: isThere } = useQuery({
    queryKey: [merchant, other, 'exists', path],
    enabled: merchant !== null && maySwitch,
    queryFn: async () => {
      const headers = { 'manilla-merchant': merchant!, 'manilla-mode': other }
      return (await fetch(path, { headers })).ok
    },
  })
  return (
    <EmptyPage
      title={commonTexts.notFound}
      icon="search"
      action={
        isThere && (
          <Button kind="primary" onClick={() => writeScope({ merchant, mode: other })}>
            {commonTexts.otherMode(other)}
          </Button>
        )
      }
    >
      {isThere ? commonTexts.inOtherMode(other) : commonTexts.notFoundText}
    </EmptyPage>
  )
}
