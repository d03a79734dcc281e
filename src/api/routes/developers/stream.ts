import { topicsSeen } from '../../../timeline/change-marks.js'
import type { ApiParts } from '../../pipeline/api-parts.js'
import { type Route, route } from '../../server/route.js'

/** Hints for the console: what to read again. */
export const streamChanges = ({ changeHints }: ApiParts): Route =>
  route({
    method: 'GET',
    path: '/v1/stream',
    access: 'user',
    permission: 'payments.see',
    operation: 'streamChanges',
    summary: 'Stream hints about changes',
    description:
      'Server-sent events. `changed` names the topics that may have changed and that the caller may see, such as `{"topics":["payments"]}`, at most twice a second.',
    tag: 'Console',
    isStream: true,
    answers: {},
    async handle({ environment, permissions, signedIn }) {
      const { sessionId } = signedIn!
      const topics = topicsSeen(permissions)
      const body = await changeHints.open({ environmentId: environment.id, sessionId, topics })
      // Stops proxies from buffering events.
      const headers = { 'x-accel-buffering': 'no' }
      return { status: 200, body, contentType: 'text/event-stream; charset=utf-8', headers }
    },
  })
