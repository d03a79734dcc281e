import type { IncomingHttpHeaders } from 'node:http'
import { Refusal } from '../../base/refusal.js'
import { hasOwnOrigin } from '../auth/authenticate-user.js'
import type { ApiParts } from '../pipeline/api-parts.js'

/** For forms, which cannot send a header of their own. */
export function refuseForeignForm(
  { consoleUrl }: Pick<ApiParts, 'consoleUrl'>,
  request: { headers: IncomingHttpHeaders },
): void {
  if (hasOwnOrigin(request, consoleUrl)) return
  throw new Refusal('forbidden', {
    reason: 'foreign_origin',
    message: 'Only pages of this console may submit this form.',
  })
}
