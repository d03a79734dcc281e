import { openReceiver } from '../../support/receiver.js'

export type RelayedNotice = { headers: Record<string, string>; body: string }

/**
 * Stands between a bank and the service. It passes notices on, or holds them so that a test can
 * deliver them in any order, repeatedly, or changed.
 */
export async function openNoticeRelay(
  deliver: (notice: RelayedNotice) => Promise<{ status: number }>,
) {
  let held: RelayedNotice[] | undefined
  const { url } = await openReceiver((response, { headers, body }) => {
    const notice = { headers: signatureOf(headers), body }
    if (held) {
      held.push(notice)
      response.end()
      return
    }
    deliver(notice).then(
      ({ status }) => response.writeHead(status).end(),
      () => response.destroy(),
    )
  })
  return {
    url,
    hold(): void {
      held = []
    },
    /** The held notices, in order of arrival. Later ones are passed on. */
    release(): RelayedNotice[] {
      const notices = held ?? []
      held = undefined
      return notices
    },
  }
}

/** Without what HTTP itself adds. */
function signatureOf(headers: Record<string, string>): Record<string, string> {
  const own = Object.entries(headers).filter(
    ([name]) => name === 'content-type' || /signature|hash/.test(name),
  )
  return Object.fromEntries(own)
}
